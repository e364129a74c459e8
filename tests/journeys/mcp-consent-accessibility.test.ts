import axe from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import { type ConsentStage, startConsentStage } from '#tests/support/mcp/consent-stage.ts'

const APPEARANCES: [string, BrowserContextOptions][] = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['a phone', { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true }],
]

async function complaints(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as axe.AxeResults
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

describeInBrowser('the consent page', () => {
  let stage: ConsentStage
  beforeAll(async () => {
    stage = await startConsentStage()
  })
  afterAll(() => stage.stop())

  test.each(APPEARANCES)('axe finds nothing at any step: %s', async (_name, options) => {
    const { page, said } = await stage.open(options)
    expect(await complaints(page)).toEqual([])
    await stage.signIn(page, 'not the password')
    await page.getByRole('alert').filter({ hasText: 'Invalid email or password' }).waitFor()
    expect(await complaints(page)).toEqual([])
    await stage.signIn(page)
    await page.getByLabel('Organization').waitFor()
    expect(await complaints(page)).toEqual([])
    const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect(wide).toBeLessThanOrEqual(0)
    expect(said.filter((text) => !text.includes('401'))).toEqual([])
    await page.context().close()
  })
})
