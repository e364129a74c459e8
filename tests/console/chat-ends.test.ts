import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, expectAccessible, sharedConsoleStage } from '#tests/support/console-stage.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'

/** Replies that the model or its provider ended early. */

const CUT_OFF = 'Cut off at the token limit.'
const ENDINGS = [
  ['openai-compatible', 'emu-n8-endslength', CUT_OFF],
  ['openai-compatible', 'emu-n8-endsfilter', 'Stopped by the provider’s filter.'],
  ['anthropic', 'claude-sonnet-4-emu-n8-endsrefusal', 'The model declined to answer.'],
] as const

describeInBrowser('the end of a reply', () => {
  let stage: ConsoleStage
  let provider: EmulatedProvider
  let person: Person
  beforeAll(async () => {
    const [started, emulated] = await Promise.all([sharedConsoleStage(), startProvider()])
    stage = started
    provider = emulated
    person = await stage.server.signUp()
    for (const [kind, model] of ENDINGS)
      await stage.server.addModel(person, {
        name: model,
        provider: kind,
        version: model,
        config: { model, base_url: `${provider.url}/v1`, api_key: 'key' },
      })
  }, 180_000)
  afterAll(async () => {
    await stage?.stop()
    await provider?.close()
  })

  const replies = (page: Page) => page.getByRole('article', { name: 'Reply' })
  const goOn = (page: Page, name = 'Continue') => page.getByRole('button', { name, exact: true })
  const say = async (page: Page, model: string, text: string) => {
    await page.getByRole('button', { name: /^Model or agent/ }).click()
    await page.getByRole('option', { name: model }).click()
    const field = page.getByRole('textbox', { name: 'Message', exact: true })
    await field.fill(text)
    await field.press('Enter')
  }

  test('a reply that was cut off says so, and Continue asks for the rest', async () => {
    const page = await stage.open('/chats', person)
    await say(page, 'emu-n8-endslength', 'A long story, please')
    await replies(page).last().getByText(CUT_OFF).waitFor()
    await goOn(page).waitFor()
    await expectAccessible(page)
    const before = provider.requests.length
    await goOn(page).click()
    await expect.poll(() => page.getByText(CUT_OFF).count()).toBe(2)
    // Only the last reply can be continued.
    await expect.poll(() => goOn(page).count()).toBe(1)
    await replies(page).last().getByRole('button', { name: 'Continue', exact: true }).waitFor()
    const body = provider.requests[before]?.body as { messages: { role: string; content: string }[] }
    expect(body.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'A long story, please'],
      ['assistant', expect.stringContaining('the quick brown')],
      ['user', 'Continue'],
    ])
    // The stored reply tells the same.
    await page.reload()
    await expect.poll(() => page.getByText(CUT_OFF).count()).toBe(2)
    expect(await goOn(page).count()).toBe(1)
    expect(stage.problems).toEqual([])
  })

  test('Continue is in the language of the user', async () => {
    const page = await stage.open('about:blank', person, { locale: 'de-DE' })
    const { organizationId, token } = person
    const { body } = await stage.server.call('GET', `/api/chat/list?org_id=${organizationId}`, { token })
    await page.goto(`/chats/${body.data[0].id}`)
    await goOn(page, 'Fortsetzen').click()
    await expect.poll(() => page.getByText('Am Token-Limit abgeschnitten.').count()).toBe(3)
    await page.getByRole('article', { name: 'Sie' }).last().getByText('Fortsetzen').waitFor()
  })

  test.each(ENDINGS.slice(1))('a reply of %s by %s says: %s', async (_kind, model, sentence) => {
    const page = await stage.open('/chats', person)
    await say(page, model, 'Hello')
    await replies(page).last().getByText(sentence).waitFor()
    await page.reload()
    await replies(page).last().getByText(sentence).waitFor()
    expect(await goOn(page).count()).toBe(0)
    expect(stage.problems).toEqual([])
  })
})
