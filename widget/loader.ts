import { textOn } from './contrast.ts'
import type { ButtonLook } from './look.ts'
import { type FromFrame, isFromFrame, type ToFrame } from './post-messages.ts'

/*
 * The script that other sites include. It shows a button and, on first use, an iframe with the chat. It loads nothing
 * but the iframe. The site's Content-Security-Policy therefore needs `script-src` and `frame-src` for this server,
 * and no 'unsafe-inline'.
 */

/** The server prepends the definition of this constant. */
declare const LOOK: ButtonLook

/** Without a deployment's id, a function applies to the chat whose script is first in the page. */
interface Parley {
  open(deploymentId?: string): void
  close(deploymentId?: string): void
  /** Removes the chat from the page. Adding the script again restores it. */
  destroy(deploymentId?: string): void
  /** The chats of the page, in the order of their scripts. */
  chats: Chat[]
}

/** One chat, as the loaders of the page's other chats see it. */
interface Chat {
  id: string
  script: HTMLScriptElement
  side: 'left' | 'right'
  show(shouldOpen: boolean): void
  /** Moves the button to a place in the row of buttons, counted from the side. */
  move(place: number): void
  remove(): void
  /** The frame if the chat is open. */
  openFrame(): HTMLIFrameElement | undefined
}

declare global {
  interface Window {
    parley?: Parley
  }
}

const BUBBLE = 'M21 11.5a8.4 8.4 0 0 1-12.3 7.4L3 21l2.1-5.7A8.4 8.4 0 1 1 21 11.5z'
const CROSS = 'M6 6l12 12M18 6L6 18'

const script = document.currentScript as HTMLScriptElement | null
if (script?.src) {
  // If the page has an element with the ID `parley`, `window.parley` is that element. Only the widget has `destroy`.
  const parley = window.parley?.destroy ? window.parley : offer()
  if (!parley.chats.some(({ id }) => id === LOOK.deploymentId)) {
    parley.chats.push(install(script, parley.chats))
    arrange(parley.chats)
  }
}

/** Adds `window.parley` to the page, for this chat and those of later scripts. */
function offer(): Parley {
  const chats: Chat[] = []
  const find = (wanted?: string) => chats.find(({ id }) => wanted === undefined || id === wanted)
  const parley: Parley = {
    chats,
    open: (id) => find(id)?.show(true),
    close: (id) => find(id)?.show(false),
    destroy(id) {
      const chat = find(id)
      if (!chat) return
      chat.remove()
      chats.splice(chats.indexOf(chat), 1)
      arrange(chats)
      if (chats.length === 0 && window.parley === parley) delete window.parley
    },
  }
  window.parley = parley
  return parley
}

/** Puts the buttons of each side in a row. Scripts run in any order, so their order in the page decides. */
function arrange(chats: Chat[]): void {
  chats.sort(({ script: one }, { script: other }) =>
    one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_PRECEDING ? 1 : -1,
  )
  const count = { left: 0, right: 0 }
  for (const { side, move } of chats) move(count[side]++)
}

function install(script: HTMLScriptElement, chats: Chat[]): Chat {
  const base = script.src.replace(/\/widget\.js.*$/, '')
  const origin = new URL(base).origin
  const listening = new AbortController()
  const host = document.createElement('parley-chat')
  const root = host.attachShadow({ mode: 'closed' })
  const { button, icon } = makeButton()
  let frame: HTMLIFrameElement | undefined
  let isOpen = false
  let isReady = false

  addStyles(root)
  root.append(button)
  button.onclick = () => show(!isOpen)
  root.addEventListener('keydown', (event) => {
    if ((event as KeyboardEvent).key === 'Escape') show(false)
  })
  addEventListener('message', receive, { signal: listening.signal })
  // Outside the body, the button is last in the tab order and remains when a framework replaces the body.
  const appear = (): void => document.documentElement.append(host)
  if (document.readyState === 'loading')
    addEventListener('DOMContentLoaded', appear, { signal: listening.signal })
  else appear()

  return {
    id: LOOK.deploymentId,
    script,
    side: LOOK.side,
    show,
    move: (place) => button.style.setProperty('--place', String(place)),
    remove() {
      listening.abort()
      host.remove()
    },
    openFrame: () => (isOpen ? frame : undefined),
  }

  function show(shouldOpen: boolean): void {
    if (shouldOpen === isOpen) return
    const hadFocus = root.activeElement !== null
    isOpen = shouldOpen
    frame ??= addFrame()
    frame.hidden = !isOpen
    if (isOpen) makeRoom(frame, chats)
    icon.setAttribute('d', isOpen ? CROSS : BUBBLE)
    button.setAttribute('aria-expanded', String(isOpen))
    if (isOpen && isReady) notifyOpened()
    if (isOpen) return
    if (hadFocus) button.focus()
    if (isReady) return
    // The frame is not ready: it is loading, failed to load, or shows a page without a chat. Remove the frame, so
    // that the next click loads it again.
    frame.remove()
    frame = undefined
  }

  function addFrame(): HTMLIFrameElement {
    const element = document.createElement('iframe')
    element.title = LOOK.label
    element.allow = 'clipboard-write'
    element.src = `${base}/embed/${LOOK.deploymentId}?scheme=${pageScheme()}#${location.origin}`
    root.prepend(element)
    return element
  }

  function receive({ origin: sender, source, data }: MessageEvent<FromFrame>): void {
    if (!frame || sender !== origin || source !== frame.contentWindow || !isFromFrame(data)) return
    if (data.parley === 'close') return show(false)
    isReady = true
    frame.dataset['ready'] = ''
    if (isOpen) notifyOpened()
  }

  /** Tells the frame that it was opened. The frame then focuses one of its elements. */
  function notifyOpened(): void {
    frame?.focus()
    frame?.contentWindow?.postMessage({ parley: 'opened', scheme: pageScheme() } satisfies ToFrame, origin)
  }
}

/** Moves a frame beside those of other chats. If the page is too narrow, closes the chats that it covers. */
function makeRoom(frame: HTMLIFrameElement, chats: Chat[]): void {
  const covered = (place: number): Chat[] => {
    frame.style.setProperty('--place', String(place))
    return chats.filter((chat) => {
      const other = chat.openFrame()
      return other && other !== frame && overlap(frame.getBoundingClientRect(), other.getBoundingClientRect())
    })
  }
  const isFree = chats.some((_, place) => covered(place).length === 0)
  if (!isFree) for (const chat of covered(0)) chat.show(false)
}

const overlap = (one: DOMRect, other: DOMRect): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom

/** Returns `light` or `dark` if the page declares exactly one color scheme. Otherwise, returns an empty string. */
function pageScheme(): string {
  const { colorScheme } = getComputedStyle(document.documentElement)
  const declared =
    colorScheme === 'normal'
      ? document.querySelector<HTMLMetaElement>('meta[name=color-scheme]')?.content
      : colorScheme
  return /^(?:only )?(dark|light)(?: only)?$/.exec(declared ?? '')?.[1] ?? ''
}

function makeButton(): { button: HTMLButtonElement; icon: SVGPathElement } {
  const button = document.createElement('button')
  button.type = 'button'
  button.setAttribute('aria-label', LOOK.label)
  button.setAttribute('aria-expanded', 'false')
  const drawing = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  const attributes = {
    viewBox: '0 0 24 24',
    width: '26',
    fill: 'none',
    stroke: 'currentColor',
    'stroke-width': '2',
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
    'aria-hidden': 'true',
  }
  for (const [name, value] of Object.entries(attributes)) drawing.setAttribute(name, value)
  const icon = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  icon.setAttribute('d', BUBBLE)
  drawing.append(icon)
  button.append(drawing)
  return { button, icon }
}

/**
 * Uses a constructed style sheet, which a Content-Security-Policy does not treat as an inline style. Falls back to a
 * style element in older browsers.
 */
function addStyles(root: ShadowRoot): void {
  const { color, side } = LOOK
  // On phones, the frame fills the screen. The loader's button stays above the frame until the frame is ready and
  // shows its own close button.
  const styles = `:host{all:initial!important}
button{all:initial;position:fixed;${side}:calc(20px + var(--place,0)*68px);bottom:calc(20px + env(safe-area-inset-bottom,0px));display:grid;place-items:center;width:56px;height:56px;border-radius:50%;background:${color};color:${textOn(color)};cursor:pointer;z-index:2147483646;box-shadow:0 1px 3px #0003,0 6px 20px #0003;transition:transform .15s}
button:hover{transform:scale(1.05)}
button:focus-visible{outline:3px solid #fff;box-shadow:0 0 0 6px #000}
iframe{position:fixed;${side}:max(20px,min(20px + var(--place,0)*420px,100vw - 420px));bottom:calc(92px + env(safe-area-inset-bottom,0px));width:min(400px,calc(100vw - 40px));height:min(680px,calc(100vh - 112px));border:0;border-radius:16px;box-shadow:0 0 0 1px #0000001a,0 12px 48px #00000038;z-index:2147483647;color-scheme:normal}
iframe[hidden]{display:none}
iframe:not([data-ready]):not([hidden])~button{z-index:2147483647}
@media(max-width:480px){iframe{inset:0;width:100%;height:100%;height:100dvh;border-radius:0}iframe[data-ready]:not([hidden])~button{display:none}}
@media(prefers-reduced-motion:reduce){button{transition:none}button:hover{transform:none}}
@media(forced-colors:active){button{border:2px solid}}
@media print{button,iframe{display:none}}`
  try {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(styles)
    root.adoptedStyleSheets = [sheet]
  } catch {
    const element = document.createElement('style')
    element.textContent = styles
    root.append(element)
  }
}
