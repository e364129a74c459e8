import { readableOn, textOn } from '../contrast.ts'
import type { Look } from '../look.ts'

/** WCAG 2.2, 1.4.3 */
const TEXT_RATIO = 4.5
/** What frame.css has behind texts, for both schemes: the darkest of the light ones, the lightest of the dark ones. */
const BACKGROUNDS = { light: '#f1f1f4', dark: '#2a2a31' }

/** Puts a deployment's colours and font on the page. What the browser can not read of them is left out by it. */
export function applyTheme({ color, fontFamily }: Look): void {
  const { style } = document.documentElement
  style.setProperty('--primary', color)
  style.setProperty('--on-primary', textOn(color))
  for (const [scheme, background] of Object.entries(BACKGROUNDS))
    style.setProperty(`--accent-${scheme}`, readableOn(background, color, TEXT_RATIO))
  if (fontFamily !== null) style.fontFamily = `${fontFamily}, system-ui, sans-serif`
}
