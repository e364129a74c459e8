import { afterAll, beforeAll, expect, test } from 'vitest'
import { seriousFindings } from '#tests/support/axe.ts'
import { describeInBrowser } from '#tests/support/browser.ts'
import { pageWith } from '#tests/support/company-site.ts'
import { openChat, replied, startWidgetStage, type WidgetStage } from '#tests/support/widget-stage.ts'

describeInBrowser('an empty chat', () => {
  let stage: WidgetStage
  beforeAll(async () => {
    stage = await startWidgetStage()
  })
  afterAll(() => stage.stop())

  test("greets in the visitor's language, and sends a suggested question with one click", async () => {
    const page = await stage.visit(await stage.deploy(), { locale: 'de-AT' })
    const chat = await openChat(page)
    await chat.getByText('Guten Tag, wie kann ich Ihnen helfen?').waitFor()
    await chat.getByRole('button', { name: 'Wie fange ich an?' }).waitFor()
    expect(await seriousFindings(chat)).toEqual([])
    await chat.getByRole('button', { name: 'Wobei können Sie mir helfen?' }).click()
    await replied(chat)
    expect(await chat.locator('.question').allInnerTexts()).toEqual(['Wobei können Sie mir helfen?'])
    expect(await chat.locator('.starters').count()).toBe(0)
    await page.context().close()
  })

  test('suggests the questions of the deployment', async () => {
    const config = { welcome_message: 'Ahoy', starter_questions: ['When do you open?'] }
    const page = await stage.visit(await stage.deploy(config))
    const chat = await openChat(page)
    await chat.getByText('Ahoy').waitFor()
    await chat.locator('.starters button').waitFor()
    expect(await chat.locator('.starters button').allInnerTexts()).toEqual(['When do you open?'])
    await page.context().close()
  })

  test("follows the page's color scheme, and the visitor's system where the page has none", async () => {
    const id = await stage.deploy()
    const plain = pageWith(`${stage.line.url}/widget.js?deployment=${id}`)
    const dark = plain.replace('<title>', '<meta name="color-scheme" content="dark"><title>')
    const backgrounds: string[] = []
    for (const html of [plain, dark]) {
      const page = await stage.visit(id, { colorScheme: 'light' }, undefined, html)
      const chat = await openChat(page)
      backgrounds.push(await chat.evaluate('getComputedStyle(document.body).backgroundColor'))
      await page.context().close()
    }
    expect(backgrounds).toEqual(['rgb(255, 255, 255)', 'rgb(23, 23, 27)'])
  })
})
