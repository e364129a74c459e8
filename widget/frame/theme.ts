import { readableOn, textOn } from '../contrast.ts'
import type { Look } from '../look.ts'

/** The minimum contrast ratio of text (WCAG 2.2, 1.4.3). */
const TEXT_RATIO = 4.5
/** Backgrounds of text in frame.css: the darkest one in the light scheme, and the lightest one in the dark scheme. */
const BACKGROUNDS = { light: '#f1f1f4', dark: '#2a2a31' }

/** Applies the color scheme of the surrounding page. Without `light` or `dark`, the chat follows the visitor's system. */
export function applyScheme(scheme: unknown): void {
  const { dataset } = document.documentElement
  if (scheme === 'light' || scheme === 'dark') dataset['scheme'] = scheme
  else delete dataset['scheme']
}

/** Applies a deployment's colors and font. The browser ignores invalid values. */
export function applyTheme({ color, fontFamily }: Look): void {
  const { style } = document.documentElement
  style.setProperty('--primary', color)
  style.setProperty('--on-primary', textOn(color))
  for (const [scheme, background] of Object.entries(BACKGROUNDS))
    style.setProperty(`--accent-${scheme}`, readableOn(background, color, TEXT_RATIO))
  style.fontFamily = fontFamily === null ? '' : `${fontFamily}, system-ui, sans-serif`
}
