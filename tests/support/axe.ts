import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type axe from 'axe-core'
import type { Frame, Page } from 'playwright-core'

/** The minified source. It is half the size of `axe.source`, and every tested document has to parse it. */
const SOURCE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Enables the WCAG rules and the best practices with serious impact. All rules would double the run time. */
const OPTIONS: axe.RunOptions = {
  iframes: false,
  resultTypes: ['violations'],
  selectors: false,
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
  rules: Object.fromEntries(
    ['accesskeys', 'aria-dialog-name', 'aria-text', 'aria-treeitem-name', 'label-title-only', 'tabindex'].map(
      (rule) => [rule, { enabled: true }],
    ),
  ),
}

/** Runs axe in a document. Returns the findings with serious or critical impact. */
export async function seriousFindings(document: Page | Frame): Promise<string[]> {
  if (!(await document.evaluate('"axe" in window'))) await document.evaluate(SOURCE)
  const found = (await document.evaluate(`axe.run(document, ${JSON.stringify(OPTIONS)})`)) as axe.AxeResults
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
}
