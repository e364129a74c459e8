import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#database/new-id.ts'
import { agentKeeper } from '#tests/support/agents.ts'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, expectAccessible, startConsoleStage } from '#tests/support/console-stage.ts'
import { librarian, textSource } from '#tests/support/knowledge.ts'
import { toolsmith } from '#tests/support/toolsmith.ts'

/** Pickers and lists of an organization that has more records than one page of the API. */

/** More records of each kind than a page of the API has. The oldest record of each kind is `Needle`. */
const STRAWS = 120

describeInBrowser('lists of any length in the console', () => {
  let stage: ConsoleStage
  let person: Person
  let agentId: string

  beforeAll(async () => {
    stage = await startConsoleStage()
    person = await stage.server.signUp()
    await stage.server.addModel(person, { name: 'Needle', provider: 'demo', version: 'parley-demo' })
    const keeper = await agentKeeper(stage.server, person)
    agentId = await keeper.make({ name: 'Needle' })
    await librarian(stage.server, person).create({ name: 'Needle', sources: [] })
    await toolsmith(stage.server, person).make({ fields: { name: 'Needle' } })
    await addStraws()
  }, 120_000)
  afterAll(() => stage?.stop())

  /** Copies each record as often as a page of the API does not hold. */
  async function addStraws(): Promise<void> {
    const { sql } = stage.server.server.services.database
    const straws = Array.from({ length: STRAWS }, (_, number) => ({ id: newId(), name: `Straw ${number}` }))
    const rows = JSON.stringify(straws)
    const { organizationId } = person
    for (const table of ['llm_models', 'agents', 'knowledge_bases', 'tools'])
      await sql`
        insert into ${sql(table)}
        select (jsonb_populate_record(needle, jsonb_build_object('id', straw.id, 'name', straw.name))).*
        from ${sql(table)} needle, json_to_recordset(${rows}::text::json) as straw (id uuid, name text)
        where needle.organization_id = ${organizationId} and needle.name = 'Needle'`
    await sql`
      insert into roles (id, organization_id, name, hierarchy_level)
      select straw.id, ${organizationId}, straw.name, 10 from json_to_recordset(${rows}::text::json) as straw (id uuid, name text)`
    await sql`
      insert into api_keys (id, organization_id, user_id, name, prefix, key_hash, permissions)
      select straw.id, ${organizationId}, ${person.userId}, straw.name, 'sk_straw', straw.id::text, '{}'
      from json_to_recordset(${rows}::text::json) as straw (id uuid, name text)`
  }

  const open = (path: string) =>
    stage.open(`${path}${path.includes('?') ? '&' : '?'}org_id=${person.organizationId}`, person)
  const option = (page: Page, name: string) => page.getByRole('option', { name, exact: true })

  /** Searches the open picker, and chooses the found record with the keyboard. */
  async function pick(page: Page, name: string): Promise<void> {
    await page.getByRole('combobox').fill(name)
    await page.getByRole('status').getByText('1 result', { exact: true }).waitFor()
    await page.keyboard.press('Enter')
  }

  test('a deployment gets an agent that is on no loaded page', async () => {
    const page = await open('/deployments')
    await page.getByRole('button', { name: 'Create deployment' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Create deployment' })
    await dialog.getByRole('button', { name: 'Agent' }).click()
    await page.getByRole('status').getByText('First 100 results').waitFor()
    expect(await option(page, 'Needle').count()).toBe(0)
    await expectAccessible(page)

    await page.getByRole('listbox').hover()
    await page.mouse.wheel(0, 20_000)
    await page
      .getByRole('status')
      .getByText(`${STRAWS + 1} results`)
      .waitFor()
    await page.getByRole('combobox').fill('no such agent')
    await page.getByRole('status').getByText('No matches').waitFor()
    await expectAccessible(page)
    await pick(page, 'needle')
    await dialog.getByRole('button', { name: 'Agent: Needle' }).waitFor()
    await dialog.getByLabel('Name').fill('Front door')
    await dialog.getByRole('button', { name: 'Create deployment' }).click()
    await page.getByRole('dialog', { name: 'Front door is ready' }).waitFor()
    await page.goto(`/deployments?org_id=${person.organizationId}`)
    await page.getByRole('row', { name: /Front door.*Needle/ }).waitFor()
  })

  test('an agent gets a model, a tool and a knowledge base, whose names stay visible', async () => {
    const page = await open(`/agents/${agentId}`)
    await page.getByRole('button', { name: /^Model: / }).click()
    await pick(page, 'needle')
    await page.getByRole('button', { name: 'Choose tools' }).click()
    await pick(page, 'needle')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Choose knowledge bases' }).click()
    await pick(page, 'needle')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('All changes saved').waitFor()

    await page.reload()
    await page.getByRole('button', { name: 'Model: Needle' }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Needle', exact: true }).count()).toBe(2)
    await page.getByRole('button', { name: 'Choose knowledge bases' }).click()
    await page
      .getByRole('group', { name: 'Selected' })
      .getByRole('option', { name: /^Needle/ })
      .waitFor()
    await expectAccessible(page)
  })

  test('a chat gets a model that is on no loaded page, and keeps it', async () => {
    const page = await open('/chats')
    await page.getByRole('button', { name: /^Model or agent/ }).click()
    await page.getByRole('dialog').getByRole('combobox').fill('needle')
    await page.getByRole('status').getByText('2 results').waitFor()
    await page.getByRole('group', { name: 'Models' }).getByRole('option', { name: 'Needle' }).click()
    await page.getByLabel('Message', { exact: true }).fill('Hello')
    await page.keyboard.press('Enter')
    await page.getByText('You said:').waitFor()
    await page.getByRole('heading', { level: 3, name: 'Needle' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { level: 3, name: 'Needle' }).waitFor()
    await page.getByRole('button', { name: 'Model or agent: Needle' }).waitFor()
  })

  test.each([
    ['/models', 'Search models', '7'],
    ['/roles', 'Search roles', '7'],
    ['/api_keys', 'Search API keys', '7'],
  ])('%s is searched on the server', async (path, label, number) => {
    const page = await open(path)
    const search = page.getByRole('searchbox', { name: label })
    await search.fill(`straw ${number}`)
    const found = page.getByText(`Straw ${number}`, { exact: true })
    await found.waitFor()
    await page.getByText(`Straw ${STRAWS - 1}`, { exact: true }).waitFor({ state: 'detached' })
    await page.reload()
    await found.waitFor()
    await search.fill('no such name')
    await page.getByText('No results for “no such name”.').waitFor()
    await page.getByRole('button', { name: 'Clear search' }).click()
    await page.getByText(`Straw ${STRAWS - 1}`, { exact: true }).waitFor()
  })

  test('the sources of a knowledge base have pages', async () => {
    const sources = Array.from({ length: 30 }, (_, number) => textSource(`Source ${number + 1}`))
    const kbId = await librarian(stage.server, person).create({ name: 'Shelf', sources })
    const page = await open(`/knowledge/${kbId}/sources`)
    await page.getByText('1 to 25 of 30 sources').waitFor()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByRole('row', { name: /Source 30/ }).waitFor()
    expect(await page.getByRole('row', { name: /Source \d/ }).count()).toBe(5)
    await expectAccessible(page)
    await page.reload()
    await page.getByText('26 to 30 of 30 sources').waitFor()
  })
})
