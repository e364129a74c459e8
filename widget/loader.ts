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

interface Parley {
  open(): void
  close(): void
  /** Removes the chat from the page. Adding the script again restores it. */
  destroy(): void
}

declare global {
  interface Window {
    parley?: Parley
  }
}

const BUBBLE = 'M21 11.5a8.4 8.4 0 0 1-12.3 7.4L3 21l2.1-5.7A8.4 8.4 0 1 1 21 11.5z'
const CROSS = 'M6 6l12 12M18 6L6 18'

const ownAddress = (document.currentScript as HTMLScriptElement | null)?.src
// If the page has an element with the ID `parley`, `window.parley` is that element. Only the widget has `destroy`.
if (ownAddress && !window.parley?.destroy) install(ownAddress.replace(/\/widget\.js.*$/, ''))

function install(base: string): void {
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

  window.parley = {
    open: () => show(true),
    close: () => show(false),
    destroy() {
      listening.abort()
      host.remove()
      delete window.parley
    },
  }

  function show(shouldOpen: boolean): void {
    if (shouldOpen === isOpen) return
    const hadFocus = root.activeElement !== null
    isOpen = shouldOpen
    frame ??= addFrame()
    frame.hidden = !isOpen
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
button{all:initial;position:fixed;${side}:20px;bottom:calc(20px + env(safe-area-inset-bottom,0px));display:grid;place-items:center;width:56px;height:56px;border-radius:50%;background:${color};color:${textOn(color)};cursor:pointer;z-index:2147483647;box-shadow:0 1px 3px #0003,0 6px 20px #0003;transition:transform .15s}
button:hover{transform:scale(1.05)}
button:focus-visible{outline:3px solid #fff;box-shadow:0 0 0 6px #000}
iframe{position:fixed;${side}:20px;bottom:calc(92px + env(safe-area-inset-bottom,0px));width:min(400px,calc(100vw - 40px));height:min(680px,calc(100vh - 112px));border:0;border-radius:16px;box-shadow:0 0 0 1px #0000001a,0 12px 48px #00000038;z-index:2147483647;color-scheme:normal}
iframe[hidden]{display:none}
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
