import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import {
  ask,
  openChat,
  replied,
  said,
  startWidgetStage,
  type WidgetStage,
  write,
} from '#tests/support/widget-stage.ts'

describeInBrowser('a visitor', () => {
  let stage: WidgetStage
  beforeAll(async () => {
    stage = await startWidgetStage()
  })
  afterAll(() => stage.stop())

  test('sends a message without a response only once, and says so', async () => {
    const page = await stage.visit(await stage.deploy())
    const chat = await openChat(page)
    await ask(chat, 'say: First')
    stage.line.cut()
    await write(chat, 'say: Second')
    await chat.waitForSelector('text=Your message wasn’t sent.')
    stage.line.mend()
    await chat.click('text=Retry')
    await chat.waitForSelector('.reply >> text=Second')
    await replied(chat)
    expect(await said(chat)).toEqual(['say: First', 'First', 'say: Second', 'Second'])
    await page.context().close()
  })

  test('asks once, even if the response was lost', async () => {
    const page = await stage.visit(await stage.deploy())
    const chat = await openChat(page)
    await ask(chat, 'say: First')
    await page.route('**/api/agent_deploy/chat?*', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await write(chat, 'say: Second')
    await chat.waitForSelector('text=Your message wasn’t sent.')
    await page.unroute('**/api/agent_deploy/chat?*')
    await chat.click('text=Retry')
    await chat.waitForSelector('.reply >> text=Second')
    await page.reload()
    await page.waitForFunction('window.parley')
    const later = await openChat(page)
    await later.waitForSelector('.reply >> text=Second')
    expect(await said(later)).toEqual(['say: First', 'First', 'say: Second', 'Second'])
    await page.context().close()
  })

  test('renews a token that the server no longer accepts', async () => {
    const page = await stage.visit(await stage.deploy())
    const chat = await openChat(page)
    let asked = 0
    await page.route('**/api/agent_deploy/chat?*', async (route) => {
      asked += 1
      const headers = { ...route.request().headers(), ...(asked === 1 && { authorization: 'Bearer old' }) }
      await route.continue({ headers })
    })
    expect(await ask(chat, 'say: Hello')).toBe('Hello')
    expect(asked).toBe(2)
    await page.context().close()
  })
})
