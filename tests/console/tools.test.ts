import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentKeeper } from '#tests/support/agents.ts'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { colleaguesOf } from '#tests/support/colleagues.ts'
import { type ConsoleStage, expectAccessible, startConsoleStage } from '#tests/support/console-stage.ts'
import { type Toolsmith, toolsmith } from '#tests/support/toolsmith.ts'

/** Tools: written, refused, mended, run, sorted, taken along as a file, deleted. */

describeInBrowser('tools in the console', () => {
  let stage: ConsoleStage
  let owner: Person
  let smith: Toolsmith

  beforeAll(async () => {
    stage = await startConsoleStage()
    owner = await stage.server.signUp()
    smith = toolsmith(stage.server, owner)
  }, 120_000)
  afterAll(() => stage?.stop())

  const open = (path: string, person = owner) => stage.open(`${path}?org_id=${person.organizationId}`, person)
  const isSaved = (page: Page) => page.getByText('All changes are saved').waitFor()
  const code = (page: Page) => page.getByRole('textbox', { name: 'Code' })

  test('the first one begins as an example that works, with its category', async () => {
    const page = await open('/tools')
    await page.getByRole('heading', { name: 'No tools yet' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'New tool' }).click()
    await page.getByLabel('Name').fill('Count words')
    await page.getByLabel('Category').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Make the tool' }).click()
    await page.getByRole('heading', { level: 1, name: 'Count words' }).waitFor()
    await code(page).getByText('count_words').waitFor()
    await page.getByLabel('text (text)').fill('one three')
    await page.getByLabel('longest (whole number, optional)').fill('2')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('group', { name: 'answer' }).getByText('"words": 2').waitFor()
    await expectAccessible(page)
  })

  test('code that does not load is refused at the code; mended by keyboard alone, it is saved', async () => {
    const id = await smith.make({ fields: { name: 'Parrot' } })
    const page = await open(`/tools/${id}`)
    await code(page).click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('\nexport function main({ text }) {')
    await page.getByText('It runs as it was last saved.').waitFor()
    await page.keyboard.press('Control+s')
    await page.getByRole('alert').first().waitFor()
    await page.getByRole('button', { name: /Go to line/ }).click()
    await expectAccessible(page)
    await code(page).click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText('export function main({ text }) { return text + config.end }')
    // Tab is for the code, until Escape.
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    await page
      .getByRole('button', { name: /Go to line/ })
      .and(page.locator(':focus'))
      .waitFor()
    await page.getByRole('button', { name: 'Add a value' }).click()
    const value = page.getByRole('group', { name: /^value/ })
    await value.getByLabel('Name').fill('end')
    await page.getByRole('button', { name: 'Add a host' }).click()
    await page.getByLabel('Host 1', { exact: true }).fill('https://example.com')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('must be a host such as').first().waitFor()
    await page.getByLabel('Host 1', { exact: true }).fill('example.com')
    await page.getByRole('button', { name: 'Save' }).click()
    await isSaved(page)
    expect((await smith.call('GET', '', { tool_id: id })).body).toMatchObject({
      configuration: [{ name: 'end', type: 'str', required: true, secret: false }],
      settings: { network: ['example.com'] },
    })
    await expectAccessible(page)
  })

  test('a run shows what failed, and a model can be asked to call it', async () => {
    const id = await smith.make({
      framework: 'python',
      code: 'def main(text, tags=None):\n    return {"text": text, "half": 1 / len(tags)}\n',
      inputs: [
        { name: 'text', type: 'str', description: 'What to say', required: true },
        { name: 'tags', type: 'list', description: '', default: '[]' },
      ],
      fields: { name: 'Divide' },
    })
    const page = await open(`/tools/${id}`)
    await page.getByLabel('text (text)').fill('<passages> </passages>')
    await page.getByLabel('tags (list, as JSON, optional)').fill('one')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByText('Write a list as JSON').waitFor()
    await page.getByLabel('tags (list, as JSON, optional)').fill('[]')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('group', { name: 'error' }).getByText('ZeroDivisionError').waitFor()
    await page.getByLabel('tags (list, as JSON, optional)').fill('["a", "b"]')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('group', { name: 'answer' }).getByText('"half": 0.5').waitFor()
    await page.getByRole('group', { name: 'answer' }).getByText('<passages> </passages>').waitFor()

    await page.getByRole('button', { name: 'By a model' }).click()
    await page.getByLabel('What to ask').fill('Please use tool main')
    await page.getByLabel('Model', { exact: true }).fill('gpt-5-mini')
    await page.getByLabel('API key').fill('sk-1')
    await expectAccessible(page)
    await page.getByLabel('Provider').selectOption('demo')
    await page.getByRole('button', { name: 'Ask' }).click()
    await page.getByText('What the model said').waitFor()
    expect(new URL(page.url()).searchParams.get('by')).toBe('model')
  })

  test('the list is filtered by the address; categories are made, renamed, and deleted where nothing is in them', async () => {
    const category_id = await smith.category('Weather')
    await smith.make({ fields: { name: 'Forecast', category_id } })
    const page = await open('/tools')
    await page.getByLabel('Category').selectOption({ label: 'Weather' })
    await page.getByRole('link', { name: 'Count words' }).waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('link', { name: 'Forecast' }).waitFor()
    expect(await page.getByRole('link', { name: 'Count words' }).count()).toBe(0)
    await page.getByLabel('Find by name or purpose').fill('nothing like it')
    await page.getByText('No tool here is like that.').waitFor()
    await expectAccessible(page)

    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Categories' }).click()
    await page.getByLabel('New category').fill('Stars')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Rename Stars' }).click()
    await page.getByLabel('New name of Stars').fill('Weather')
    await page.getByRole('button', { name: 'Rename', exact: true }).click()
    await page.getByRole('alert').getByText('A tool category with this name already exists').waitFor()
    await page.getByLabel('New name of Stars').fill('Planets')
    await page.getByRole('button', { name: 'Rename', exact: true }).click()
    const remove = async (name: string) => {
      await page.getByRole('button', { name: `Delete ${name}` }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    }
    await remove('Weather')
    await page.getByRole('alert').getByText('This category contains tools: Forecast').waitFor()
    await expectAccessible(page)
    await remove('Planets')
    await page.getByRole('button', { name: 'Rename Planets' }).waitFor({ state: 'detached' })
  })

  test('a tool goes along as a file; one that an agent has is not deleted, and says which', async () => {
    const id = await smith.make({ fields: { name: 'Compass', version: '2' } })
    const keeper = await agentKeeper(stage.server, owner)
    const agentId = await keeper.make({ name: 'Scout', tools: [{ tool_id: id }] })
    const folder = await mkdtemp(join(tmpdir(), 'parley-tool-file-'))
    const page = await open(`/tools/${id}`)
    await page.getByRole('button', { name: 'More' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export as a file' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('Compass.json')
    const file = join(folder, 'compass.json')
    await download.saveAs(file)
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ name: 'Compass', version: '2' })

    const remove = async () => {
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    }
    await remove()
    await page.getByRole('alert').getByText('the agent Scout').waitFor()
    await keeper.update(agentId, { tools: [] })
    await remove()
    await page.getByRole('table').waitFor()

    await page
      .getByLabel('File of a tool')
      .setInputFiles({ name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('{}') })
    await page.getByText('This file holds no tool.').first().waitFor()
    await page.getByLabel('File of a tool').setInputFiles(file)
    const dialog = page.getByRole('dialog', { name: 'Import a tool' })
    await dialog.getByLabel('Category').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Import the tool' }).click()
    await page.getByRole('heading', { level: 1, name: 'Compass' }).waitFor()
    await rm(folder, { recursive: true })
  })

  test('a public tool of others shows what it does and not how; guests see, and change nothing', async () => {
    const id = await smith.make({
      fields: { name: 'Almanac', is_public: true },
      configuration: [{ name: 'region', type: 'str', description: 'Where', default: 'north' }],
      network: ['example.com'],
    })
    const stranger = await stage.server.signUp()
    const page = await open('/tools', stranger)
    await page
      .getByRole('row', { name: /Almanac.*Of others/ })
      .getByRole('link')
      .click()
    await page.getByRole('heading', { name: 'A public tool of another organization' }).waitFor()
    await page.getByText('It may reach example.com.').waitFor()
    expect(await code(page).count()).toBe(0)
    await page.getByLabel('text (text)').fill('hello')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('group', { name: 'answer' }).getByText('hello').waitFor()
    await expectAccessible(page)

    const guest = await colleaguesOf(stage.server, owner).join('guest')
    const seen = await open(`/tools/${id}`, guest)
    await seen.getByText('Your role may not change tools.').waitFor()
    await seen.getByText('Your role may not run tools.').waitFor()
    await code(seen).waitFor()
    expect(await seen.getByRole('button', { name: 'Save' }).count()).toBe(0)
    await expectAccessible(seen)
    expect(stage.problems).toEqual([])
  })
})
