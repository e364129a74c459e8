import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import {
  type ConsoleStage,
  expectAccessible,
  PHONE,
  sharedConsoleStage,
} from '#tests/support/console-stage.ts'
import { roleOf } from '#tests/support/tenants.ts'

/** The start page: the first question, the first steps, recent items, a new organization. */

describeInBrowser('the start of the console', () => {
  let stage: ConsoleStage
  let ada: Person

  beforeAll(async () => {
    stage = await sharedConsoleStage()
    ada = await stage.server.signUp()
  }, 120_000)
  afterAll(async () => {
    await stage?.stop()
  })

  const demoModel = async (): Promise<string> => {
    const { body } = await stage.server.call('GET', `/api/llm/list?org_id=${ada.organizationId}`, {
      token: ada.token,
    })
    return body.data.find(({ name }: { name: string }) => name.includes('no language model')).id
  }

  test('a new user gets a streamed reply after three clicks', async () => {
    const page = await stage.open('/')
    let clicks = 0
    const click = async (role: 'link' | 'button', name: string) => {
      await page.getByRole(role, { name, exact: true }).click()
      clicks++
    }
    await click('link', 'Create account')
    await page.getByLabel('First name').fill('Grace')
    await page.getByLabel('Last name').fill('Hopper')
    await page.getByLabel('Email').fill(`${randomUUID()}@example.com`)
    await page.getByLabel('Password').fill('correct horse')
    await click('button', 'Create account')
    // The field has the focus already.
    await page.locator('textarea:focus').waitFor()
    await page.keyboard.type('What can you do?')
    const sent = page.waitForResponse(/\/api\/chat\/send_message/)
    await click('button', 'Send')
    expect((await sent).headers()['content-type']).toContain('text/event-stream')
    const reply = page.getByRole('article', { name: 'Reply' })
    await reply.getByText('You said: What can you do?').waitFor()
    expect(clicks).toBe(3)
  })

  test('a new user sees the first steps and can ask immediately', async () => {
    const page = await stage.open('/', ada)
    await page.getByText('0 of 4 done').waitFor()
    await page.getByText('1,000,000').waitFor()
    await expectAccessible(page)
    const box = page.getByRole('textbox', { name: 'Ask anything' })
    await box.fill('How does it work?')
    await box.press('Shift+Enter')
    await box.pressSequentially('Tell me.')
    await box.press('Enter')
    await page.waitForURL('**/chats**')
    expect(new URL(page.url()).searchParams.get('org_id')).toBe(ada.organizationId)
  })

  test('completed steps are marked; chats, knowledge, agents and credits are shown', async () => {
    const model_id = await demoModel()
    const { chatId } = await stage.server.say(ada, { model_id }, { content: 'The difference engine' })
    const asAda = (path: string, body: unknown) =>
      stage.server.call('POST', `${path}?org_id=${ada.organizationId}`, { token: ada.token, body })
    await asAda('/api/agents', {
      name: 'Engine operator',
      description: 'Operates',
      agent_type: 'chat',
      model_id,
      params: {},
    })
    await asAda('/api/kb/create', {
      name: 'Notes on the engine',
      description: 'By Ada',
      embedding_model: 'local',
      sources: [{ type: 'text', config: { name: 'Note G', content: 'Bernoulli numbers' } }],
    })
    const page = await stage.open('/', ada)
    await page.getByRole('link', { name: /^Engine operator/ }).waitFor()
    await page.getByRole('link', { name: /^Notes on the engine/ }).waitFor()
    await page.getByText(/used in the last 30 days for \d repl/).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Create an agent (done)' }).waitFor()
    await expectAccessible(page)
    const chats = page.getByRole('region', { name: 'Recent chats' })
    // The order depends on whether the reply of the test before has ended.
    await chats.locator(`a[href*="/chats/${chatId}"]`).waitFor()
    await page.getByRole('button', { name: 'Hide steps' }).click()
    await page.getByRole('heading', { name: /^Get started/ }).waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('link', { name: /^Engine operator/ }).waitFor()
    expect(await page.getByRole('heading', { name: /^Get started/ }).count()).toBe(0)
  })

  test('a user creates an organization with a unique name', async () => {
    const page = await stage.open('/', ada)
    await page.getByRole('button', { name: 'Organization: Ada Lovelace' }).click()
    await page.getByRole('menuitem', { name: 'New organization' }).click()
    await page.getByRole('heading', { name: 'New organization' }).waitFor()
    await page.getByLabel('Name').fill('Analytical Engines')
    await expectAccessible(page)
    await page.getByLabel('Name').press('Enter')
    await page.getByRole('button', { name: 'Organization: Analytical Engines' }).waitFor()
    await page.getByText('0 of 4 done').waitFor()

    await page.goto('/organizations/new')
    await page.getByLabel('Name').fill('ANALYTICAL ENGINES')
    await page.getByRole('button', { name: 'Create organization' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('ANALYTICAL ENGINES')
  })

  test('a guest sees only permitted actions', async () => {
    const made = await stage.server.call('POST', '/api/org/create_org?name=The+Royal+Society', {
      token: ada.token,
    })
    const society = { ...ada, organizationId: made.body.id }
    const guest = await stage.server.signUp()
    await stage.server.call('POST', '/api/org/add_member', {
      token: ada.token,
      body: {
        organization_id: society.organizationId,
        user_id: guest.userId,
        role_id: await roleOf(stage.server, society, 'guest'),
      },
    })
    const page = await stage.open(`/?org_id=${society.organizationId}`, guest)
    await page.getByText('You were added to The Royal Society').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Open organization' }).click()
    await page.getByRole('heading', { name: 'Recent chats' }).waitFor()
    expect(await page.getByRole('textbox').count()).toBe(0)
    expect(await page.getByRole('heading', { name: /^Get started/ }).count()).toBe(0)
    await expectAccessible(page)
  })

  test('search reaches every page, an unknown URL shows an error, and phones have a menu', async () => {
    const page = await stage.open('/', ada)
    await page.getByRole('button', { name: 'Search' }).waitFor()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Search' })
    await palette.getByRole('option', { name: /^Knowledge/ }).waitFor()
    await expectAccessible(page)
    await page.keyboard.type('webho')
    await palette.getByRole('option', { name: /^Webhooks/, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()

    await page.goto('/nowhere')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await page.getByRole('link', { name: 'Go to Home' }).click()
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'Agents' }).waitFor()
  })

  test('no page reported an error', () => {
    expect(stage.problems).toEqual([])
  })
})
