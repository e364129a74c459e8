import type { Page } from 'playwright-core'

/** The minimum side of a target for fingers, in pixels. */
const SIDE_MIN = 40

/**
 * Lists the controls that are too small for fingers: less than 40 px high or, without text, less than 40 px wide. A
 * label counts as part of its field, and a row whose link covers it as part of the link. Links and citations within a
 * sentence are exempt, because the line height limits them (WCAG 2.5.8).
 */
const SMALL = `(() => {
  const CONTROLS = 'a[href], button, input, select, textarea, summary, [role=button], [role=tab], [role=switch], [tabindex="0"]'
  const isMeant = (control) =>
    !control.disabled && control.type !== 'hidden' && control.closest('[aria-hidden=true], .sr-only, pre, .cm-editor, .katex') === null
    && control.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && control.getAttribute('role') !== 'region' && control.tagName !== 'SECTION'
  const isInSentence = (control) =>
    /^(A|BUTTON)$/.test(control.tagName) && getComputedStyle(control).display.startsWith('inline')
    && [...control.parentElement.childNodes].some(({ nodeType, textContent }) => nodeType === 3 && textContent.trim() !== '')
  const isHit = (control, x, y) => {
    const hit = document.elementFromPoint(x, y)
    return hit !== null && (control.contains(hit) || [...(control.labels ?? [])].some((label) => label.contains(hit)))
  }
  const isLabeled = (control) =>
    [...(control.labels ?? [])].some((label) => label.getBoundingClientRect().height >= ${SIDE_MIN} - 0.5)
  const reaches = (control) => {
    if (/^(checkbox|radio)$/.test(control.type) && isLabeled(control)) return true
    control.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' })
    const { left, right, top, bottom } = control.getBoundingClientRect()
    const [x, y, half] = [(left + right) / 2, (top + bottom) / 2, ${SIDE_MIN / 2} - 1.5]
    const inside = Math.min(Math.max(x, left + 2), Math.max(right - 2, left))
    const hasText = control.textContent.trim() !== '' || /^(INPUT|SELECT|TEXTAREA)$/.test(control.tagName)
    const isHigh = bottom - top >= ${SIDE_MIN} - 0.5 || (isHit(control, inside, y - half) && isHit(control, inside, y + half))
    const isWide = hasText || right - left >= ${SIDE_MIN} - 0.5 || (isHit(control, x - half, y) && isHit(control, x + half, y))
    return isHigh && isWide
  }
  return [...document.querySelectorAll(CONTROLS)].filter(isMeant).filter((one) => !isInSentence(one) && !reaches(one))
    .map((one) => {
      const { width, height } = one.getBoundingClientRect()
      return one.tagName + ' ' + Math.round(width) + '×' + Math.round(height) + ': '
        + (one.getAttribute('aria-label') || one.textContent || one.labels?.[0]?.textContent || '').trim().slice(0, 60)
    })
})()`

/** Returns the controls of a page that are too small for fingers. */
export const smallTargets = (page: Page): Promise<string[]> => page.evaluate(SMALL)
