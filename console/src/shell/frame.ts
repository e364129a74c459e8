/**
 * Chooses the frame of the page, which index.html contains: that of a signed-out user, of the chats, or of any other
 * page. The style sheet shows it until a page is rendered.
 */
export function showFrame(): void {
  const page = document.documentElement.dataset
  const isSignedIn = localStorage.getItem('parley.session') !== null
  page['frame'] = !isSignedIn ? 'outside' : location.pathname.startsWith('/chats') ? 'chats' : 'page'
  page['rail'] = localStorage.getItem('parley.rail') === null ? 'off' : 'on'
}
