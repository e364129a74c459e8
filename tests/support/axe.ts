import axe from 'axe-core'
import type { Frame, Page } from 'playwright-core'

/** What axe holds against a document, without what is of minor or moderate impact. */
export async function seriousFindings(document: Page | Frame): Promise<string[]> {
  await document.evaluate(axe.source)
  const found = (await document.evaluate(
    'axe.run(document, { iframes: false, resultTypes: ["violations"] })',
  )) as axe.AxeResults
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
}
