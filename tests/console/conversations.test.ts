import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, expectAccessible, sharedConsoleStage } from '#tests/support/console-stage.ts'
import { startProvider } from '#tests/support/provider/index.ts'

/** Starts conversations with several models, asks, stops, archives and deletes them. */

describeInBrowser('conversations in the console', () => {
  let stage: ConsoleStage
  let provider: Awaited<ReturnType<typeof startProvider>>
  let ada: Person

  beforeAll(async () => {
    provider = await startProvider()
    stage = await sharedConsoleStage()
    ada = await stage.server.signUp()
    for (const [name, version] of [
      ['Short', 'emu-n5'],
      ['Long', 'emu-n10'],
      ['Endless', 'emu-n5000-gap20'],
      ['Patient', 'emu-n5000-gap30'],
    ] as const)
      await stage.server.addModel(ada, {
        name,
        provider: 'openai-compatible',
        version,
        config: { base_url: `${provider.url}/v1`, api_key: 'k' },
      })
  }, 120_000)
  afterAll(async () => {
    await stage?.stop()
    await provider?.close()
  })

  test('several models reply to a question, and models can be added and excluded', async () => {
    const page = await stage.open('/conversations', ada)
    await page.getByRole('heading', { name: 'No conversations yet' }).waitFor()
    await page.getByText('The replies appear next to each other').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'New conversation' }).click()
    await page.getByLabel('Title').fill('Engines')
    await page.getByRole('button', { name: 'Models' }).click()
    await page.getByRole('option', { name: /^Short/ }).click()
    await page.getByRole('option', { name: /^Long/ }).click()
    await page.keyboard.press('Escape')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Start' }).click()

    await page.getByRole('heading', { name: 'No questions yet' }).waitFor()
    await page.getByRole('textbox', { name: 'Your question' }).fill('What is an engine?')
    await page.getByRole('textbox', { name: 'Your question' }).press('Enter')
    const turn = page.getByRole('region', { name: 'Question: What is an engine?' })
    await turn
      .getByRole('article', { name: 'Reply from Short' })
      .getByText(/5 tokens/)
      .waitFor()
    await turn
      .getByRole('article', { name: 'Reply from Long' })
      .getByText(/10 tokens/)
      .waitFor()
    expect(await page.getByRole('region', { name: /^Question/ }).count()).toBe(1)

    await page.getByRole('button', { name: 'Add model' }).click()
    await page.getByRole('option', { name: /^Endless/ }).click()
    await page.getByRole('button', { name: 'Short', exact: true }).click()
    await page.getByRole('button', { name: 'Long', exact: true }).click()
    await page.getByRole('button', { name: 'Endless', pressed: true }).waitFor()
    await page.getByRole('button', { name: 'Short', exact: true, pressed: false }).waitFor()
    await expectAccessible(page)
    await page.getByRole('textbox', { name: 'Your question' }).fill('Tell me all')
    await page.getByRole('button', { name: 'Ask models', exact: true }).click()
    await page.getByText('Responding', { exact: true }).waitFor()
    // After a reload the reply continues.
    await page.reload()
    const endless = page.getByRole('article', { name: 'Reply from Endless' })
    await endless.waitFor()
    expect(await page.getByRole('button', { name: 'Short', exact: true }).getAttribute('aria-pressed')).toBe(
      'false',
    )
    await page.getByRole('button', { name: 'Stop' }).click()
    await endless.getByText('Stopped').waitFor()
    await page.getByRole('button', { name: 'Ask models', exact: true }).waitFor()
  })

  test('models reply at the same time, and stop together', async () => {
    const query = `org_id=${ada.organizationId}`
    const { token } = ada
    const call = async (method: string, path: string, body?: object, more = '') =>
      (await stage.server.call(method, `${path}?${query}${more}`, { token, ...(body && { body }) })).body
    const { id } = await call('POST', '/api/conversation/create', { title: 'At once' })
    const models = (await call('GET', '/api/llm/list')).data as { id: string; name: string }[]
    for (const { id: model_id, name } of models)
      if (name === 'Endless' || name === 'Patient')
        await call('POST', '/api/conversation/create_session', { conversation_id: id, model_id })
    const page = await stage.open(`/conversations/${id}`, ada)
    const box = page.getByRole('textbox', { name: 'Your question' })
    await box.fill('Which is faster?')
    await box.press('Enter')
    const replies = ['Endless', 'Patient'].map((name) =>
      page.getByRole('article', { name: `Reply from ${name}` }),
    )
    for (const reply of replies) {
      await reply.getByText('Responding', { exact: true }).waitFor()
      await expect.poll(async () => (await reply.innerText()).length).toBeGreaterThan(80)
    }
    expect(await page.getByText('Responding', { exact: true }).count()).toBe(2)
    await page.getByRole('button', { name: 'Stop' }).click()
    for (const reply of replies) await reply.getByText('Stopped').waitFor()
    await page.getByRole('button', { name: 'Ask models', exact: true }).waitFor()
    await call('DELETE', '/api/conversation/delete', undefined, `&conversation_id=${id}`)
  })

  test('a refused question stays in the field', async () => {
    const page = await stage.open('/conversations', ada)
    await page.getByRole('link', { name: 'Engines' }).click()
    await page.route('**/api/conversation/stream_chat**', (route) =>
      route.fulfill({
        status: 402,
        json: { detail: 'No credits left', code: 'billing.insufficient_credits' },
      }),
    )
    const box = page.getByRole('textbox', { name: 'Your question' })
    await box.fill('And now?')
    await box.press('Enter')
    await page.getByRole('alert').getByText('No credits left').waitFor()
    expect(await box.inputValue()).toBe('And now?')
  })

  test('a conversation is renamed, archived and deleted', async () => {
    const page = await stage.open('/conversations', ada)
    const act = async (title: string, name: string) => {
      await page.getByRole('button', { name: `Actions for ${title}` }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    await act('Engines', 'Rename')
    await page.getByLabel('Title').fill('Old engines')
    await page.getByLabel('Title').press('Enter')
    await page.getByRole('link', { name: 'Old engines' }).waitFor()
    await expectAccessible(page)
    await act('Old engines', 'Archive')
    await page.getByRole('heading', { name: 'No conversations yet' }).waitFor()
    await page.getByRole('button', { name: 'Archived' }).click()
    await page.waitForURL('**archived=true**')
    await act('Old engines', 'Delete')
    await page.getByRole('heading', { name: 'No archived conversations' }).waitFor()
    await page.getByRole('listitem').getByRole('button', { name: 'Undo' }).last().click()
    await act('Old engines', 'Delete')
    await page.getByRole('heading', { name: 'No archived conversations' }).waitFor()
    // The deletion is sent while the page unloads. On a busy machine, it arrives after the next page has read the list.
    const isGoneAfterReload = async () => {
      await page.reload({ waitUntil: 'networkidle' })
      return page.getByRole('heading', { name: 'No archived conversations' }).isVisible()
    }
    await expect.poll(isGoneAfterReload).toBe(true)
  })

  test('no page reported an error', () => {
    expect(stage.problems).toEqual([])
  })
})
