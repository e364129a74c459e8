/** The user's choice of theme. `system` follows the device's setting. */
export type Theme = 'system' | 'light' | 'dark'

const KEY = 'parley.theme'
const prefersDark = window.matchMedia('(prefers-color-scheme: dark)')

export function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, theme)
  showTheme()
}

/** Applies the theme by setting `data-theme` on the page. The colors in app.css depend on that attribute. */
export function showTheme(): void {
  const theme = chosenTheme()
  const isDark = theme === 'dark' || (theme === 'system' && prefersDark.matches)
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
}

prefersDark.addEventListener('change', showTheme)
window.addEventListener('storage', ({ key }) => key === KEY && showTheme())
