import { isBlock } from './markdown-writer.ts'
import type { PageElement, PageNode } from './page-to-markdown.ts'

/** An element of a page that can be changed. */
interface ChangeableElement extends PageElement {
  parentNode: ChangeableElement | null
  ownerDocument: { createElement(name: string): ChangeableElement }
  setAttribute(name: string, value: string): void
  removeAttribute(name: string): void
  appendChild(node: PageNode): void
  replaceWith(node: PageNode): void
}

const ELEMENT = 1
const TEXT = 3
/** Elements and roles of a website's frame, whose hidden text belongs to menus, banners and forms. */
const FRAME_ELEMENTS = new Set('aside dialog footer form header menu nav template'.split(' '))
const FRAME_ROLES = new Set(
  'alert alertdialog banner complementary contentinfo dialog listbox menu menubar menuitem navigation search status tooltip'.split(
    ' ',
  ),
)
/** Words in classes and ids of such elements. */
const FRAME_WORDS = new Set(
  'ccpa consent cookie cookies drawer gdpr hamburger megamenu menu modal nav navbar navigation newsletter offcanvas overlay popover popup sidenav submenu toast tooltip'.split(
    ' ',
  ),
)
/** Words in classes and ids that tell only something about the element itself, not about those within it. */
const OWN_FRAME_WORDS = new Set(
  'ad ads advert advertisement backdrop banner breadcrumb breadcrumbs captcha error errors footer header lightbox loader loading login notification placeholder preloader print promo reader share sidebar signup skeleton snackbar social spinner sr subscribe success template visually warning'.split(
    ' ',
  ),
)
/** Words that outweigh OWN_FRAME_WORDS, as in `accordion-header`. */
const CONTENT_WORDS = new Set(
  'accordion answer collapsible content expandable faq faqs panel question tab tabpanel'.split(' '),
)
/** Elements whose classes describe the whole page, such as `has-cookie-banner`. */
const WHOLE_PAGE = new Set(['html', 'body', 'main', 'article'])
const SILENT = new Set(['script', 'style', 'noscript', 'template', 'svg', 'select', 'textarea'])
const HIDING_STYLE =
  /(?:^|;)\s{0,9}(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}(?:hidden|collapse)|opacity\s{0,9}:\s{0,9}0|(?:max-)?height\s{0,9}:\s{0,9}0)(?:px|%|em|rem)?\s{0,9}(?:!\s{0,9}important\s{0,9})?(?:;|$)/i
const HIDING_CLASS = /(?:^|:)(?:hidden|invisible)$/
const CLASS_CHARACTERS_MAX = 1_000

/** An element that is being read. */
interface Open {
  node: ChangeableElement
  isFrame: boolean
  isSilent: boolean
  /** Number of characters other than whitespace, and how many of them are in links. */
  letters: number
  linkLetters: number
}

/**
 * Shows text that a page shows only after a click: answers to questions, panels of tabs, the rest of a text. Hidden
 * text in menus, banners, dialogs and forms stays hidden, and so do lists of links. Also turns buttons and labels that
 * open something into text, because they hold the questions. Takes time in proportion to the page.
 */
export function revealHidden(root: PageElement): void {
  const open: Open[] = []
  const enter = (node: ChangeableElement): void => {
    const above = open.at(-1)
    const name = node.localName.toLowerCase()
    open.push({
      node,
      isFrame: above?.isFrame === true || isFrame(node, name),
      isSilent: above?.isSilent === true || SILENT.has(name),
      letters: 0,
      linkLetters: 0,
    })
  }
  const leave = (): PageNode => {
    const { node, isFrame: isInFrame, letters, linkLetters } = open.pop() as Open
    const above = open.at(-1)
    if (above) {
      above.letters += letters
      above.linkLetters += node.localName === 'a' ? letters : linkLetters
    }
    if (isInFrame || letters < 2) return node
    if (linkLetters * 2 <= letters) reveal(node)
    return isOpener(node) ? replaceBySpan(node) : node
  }
  for (let node: PageNode | null = root; node !== null; ) {
    const above = open.at(-1)
    if (node.nodeType === TEXT && above && !above.isSilent)
      above.letters += (node.nodeValue ?? '').replace(/\s/g, '').length
    let next: PageNode | null = null
    if (node.nodeType === ELEMENT) {
      enter(node as ChangeableElement)
      next = node.firstChild ?? (node === root ? null : leave().nextSibling)
    } else next = node.nextSibling
    while (next === null && open.length > 0) {
      const ended = leave()
      next = open.length === 0 ? null : ended.nextSibling
    }
    node = next
  }
}

function isFrame(node: ChangeableElement, name: string): boolean {
  if (WHOLE_PAGE.has(name)) return false
  if (FRAME_ELEMENTS.has(name) || FRAME_ROLES.has((node.getAttribute('role') ?? '').toLowerCase()))
    return true
  return wordsOf(node).some((word) => FRAME_WORDS.has(word))
}

/** Returns the words of an element's classes and id: `site`, `nav` for `siteNav` and `site-nav`. */
const wordsOf = (node: ChangeableElement): string[] =>
  `${node.getAttribute('class') ?? ''} ${node.getAttribute('id') ?? ''}`
    .slice(0, CLASS_CHARACTERS_MAX)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)

/** Removes what hides an element, unless its classes tell that it is no content. */
function reveal(node: ChangeableElement): void {
  const style = node.getAttribute('style')
  const classes = (node.getAttribute('class') ?? '').slice(0, CLASS_CHARACTERS_MAX).split(/\s+/)
  const isStyled = style !== null && HIDING_STYLE.test(style)
  const isOfClass = classes.some((one) => HIDING_CLASS.test(one))
  const isHidden = isStyled || isOfClass || node.getAttribute('hidden') !== null
  // Inline elements that are hidden only from screen readers are icons.
  const isUnread = node.getAttribute('aria-hidden') === 'true' && (isHidden || isBlock(node.localName))
  if (!isHidden && !isUnread) return
  const words = wordsOf(node)
  if (words.some((word) => OWN_FRAME_WORDS.has(word)) && !words.some((word) => CONTENT_WORDS.has(word)))
    return
  if (isStyled) node.removeAttribute('style')
  if (isOfClass) node.setAttribute('class', classes.filter((one) => !HIDING_CLASS.test(one)).join(' '))
  node.removeAttribute('hidden')
  node.removeAttribute('aria-hidden')
}

const HEADING = /^(?:h[1-6]|dt|summary)$/
const OPENING = ['aria-expanded', 'aria-controls', 'data-toggle', 'data-bs-toggle', 'data-target']

/** Returns true for a button or label that opens hidden text, such as a question. */
function isOpener(node: ChangeableElement): boolean {
  if (node.localName === 'label') return node.getAttribute('for') !== null
  if (node.localName !== 'button') return false
  return (
    OPENING.some((name) => node.getAttribute(name) !== null) ||
    HEADING.test(node.parentNode?.localName ?? '') ||
    node.querySelector('h1, h2, h3, h4, h5, h6') !== null
  )
}

function replaceBySpan(node: ChangeableElement): ChangeableElement {
  const isInHeading = HEADING.test(node.parentNode?.localName ?? '')
  const span = node.ownerDocument.createElement(isInHeading ? 'span' : 'p')
  for (let child = node.firstChild; child !== null; child = node.firstChild) span.appendChild(child)
  node.replaceWith(span)
  return span
}
