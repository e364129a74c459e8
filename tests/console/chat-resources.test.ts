import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import {
  type ConsoleStage,
  expectAccessible,
  PHONE,
  sharedConsoleStage,
} from '#tests/support/console-stage.ts'
import { mcpConnector } from '#tests/support/mcp/connector.ts'
import { startMcpServer, type TestMcpServer } from '#tests/support/mcp/index.ts'
import { smallTargets } from '#tests/support/touch-targets.ts'

/** Resources of connected servers, attached to a message. */

const HOURS = {
  uri: 'file:///hours.md',
  name: 'Opening hours',
  mimeType: 'text/markdown',
  text: 'Open from nine.',
}
const PRICES = { uri: 'file:///prices.csv', name: 'Prices', mimeType: 'text/csv', text: 'tea,3.10' }

describeInBrowser('resources in a chat', () => {
  let stage: ConsoleStage
  let shelf: TestMcpServer
  let bare: TestMcpServer
  let broken: TestMcpServer
  let person: Person

  beforeAll(async () => {
    ;[stage, shelf, bare, broken] = await Promise.all([
      sharedConsoleStage(),
      startMcpServer({ resources: [HOURS, PRICES] }),
      startMcpServer(),
      startMcpServer({
        resources: [HOURS],
        before(_request, response, message) {
          if (message !== 'resources/list') return false
          response.writeHead(503).end()
          return true
        },
      }),
    ])
    person = await stage.server.signUp()
    const connector = await mcpConnector(stage.server, person)
    for (const { url } of [shelf, bare, broken])
      await connector.connect(await connector.addServer(url, { type: 'none' }))
  }, 120_000)
  afterAll(async () => {
    await stage?.stop()
    await Promise.all([shelf, bare, broken].map((server) => server?.close()))
  })

  const openPicker = async (page: Page) => {
    await page.getByRole('button', { name: 'Add attachment' }).click()
    await page.getByRole('menuitem', { name: 'Attach a resource' }).click()
    await page.getByRole('option', { name: 'Prices' }).waitFor()
  }

  test('are found by name, attached with the keyboard, and sent with the message', async () => {
    const page = await stage.open('/chats', person)
    await openPicker(page)
    await page.getByText('This server offers no resources.').waitFor()
    const failures = page
      .getByRole('dialog')
      .getByRole('status')
      .filter({ hasNotText: /Reading|no resources/ })
    await expect.poll(() => failures.count(), { timeout: 60_000 }).toBe(1)
    await page.keyboard.type('hours')
    await expect.poll(() => page.getByRole('option').count()).toBe(1)
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    const attachments = page.getByRole('list', { name: 'Attachments' })
    await attachments.getByText('15 B').waitFor()
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('When do you open?')
    await page.keyboard.press('Enter')
    await page.getByRole('list', { name: 'Files' }).getByText('hours.md').waitFor()
    expect(stage.problems).toEqual([])
  })

  test('can be chosen with a finger, and removed again', async () => {
    const page = await stage.open('/chats', person, {
      viewport: PHONE,
      hasTouch: true,
      reducedMotion: 'reduce',
    })
    await openPicker(page)
    expect(await smallTargets(page)).toEqual([])
    await page.getByRole('option', { name: 'Prices' }).tap()
    await page.getByRole('button', { name: 'Remove Prices' }).tap()
    await expect.poll(() => page.getByRole('list', { name: 'Attachments' }).count()).toBe(0)
    expect(stage.problems).toEqual([])
  })
})
