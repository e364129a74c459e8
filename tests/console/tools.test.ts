import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentKeeper } from '#tests/support/agents.ts'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { colleaguesOf } from '#tests/support/colleagues.ts'
import { type ConsoleStage, expectAccessible, sharedConsoleStage } from '#tests/support/console-stage.ts'
import { type Toolsmith, toolsmith } from '#tests/support/toolsmith.ts'

/** Tools: created, edited, tested, grouped, exported, imported and deleted. */

describeInBrowser('tools in the console', () => {
  let stage: ConsoleStage
  let owner: Person
  let smith: Toolsmith

  beforeAll(async () => {
    stage = await sharedConsoleStage()
    owner = await stage.server.signUp()
    smith = toolsmith(stage.server, owner)
  }, 120_000)
  afterAll(() => stage?.stop())

  const open = (path: string, person = owner) => stage.open(`${path}?org_id=${person.organizationId}`, person)
  const isSaved = (page: Page) => page.getByText('All changes saved').waitFor()
  const code = (page: Page) => page.getByRole('textbox', { name: 'Code' })

  test('the first tool starts from a working example, with a category', async () => {
    const page = await open('/tools')
    await page.getByRole('heading', { name: 'No tools yet' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create tool' }).click()
    await page.getByLabel('Name').fill('Count words')
    await page.getByLabel('Category').waitFor()
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Create tool' }).click()
    await page.getByRole('heading', { level: 1, name: 'Count words' }).waitFor()
    await code(page).getByText('count_words').waitFor()
    await page.getByLabel('text (text)').fill('one three')
    await page.getByLabel('longest (whole number, optional)').fill('2')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('group', { name: 'result', exact: true }).getByText('"words": 2').waitFor()
    await expectAccessible(page)
  })

  test('invalid code shows an error at its line, and is fixed and saved by keyboard alone', async () => {
    const id = await smith.make({ fields: { name: 'Parrot' } })
    const page = await open(`/tools/${id}`)
    await code(page).click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('\nexport function main({ text }) {')
    await page.getByText('Tests run the saved version.').waitFor()
    await page.keyboard.press('Control+s')
    await page.getByRole('alert').first().waitFor()
    await page.getByRole('button', { name: /Go to line/ }).click()
    await expectAccessible(page)
    await code(page).click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText('export function main({ text }) { return text + config.end }')
    // Tab indents until Escape is pressed.
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    await page
      .getByRole('button', { name: /Go to line/ })
      .and(page.locator(':focus'))
      .waitFor()
    await page.getByRole('button', { name: 'Add value' }).click()
    const value = page.getByRole('group', { name: /^Configuration value/ })
    await value.getByLabel('Name').fill('end')
    await page.getByRole('button', { name: 'Add host' }).click()
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

  test('a test shows errors, and can use a model', async () => {
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
    await page.getByLabel('tags (list as JSON, optional)').fill('one')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByText('Enter a JSON list').waitFor()
    await page.getByLabel('tags (list as JSON, optional)').fill('[]')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('group', { name: 'error' }).getByText('ZeroDivisionError').waitFor()
    await page.getByLabel('tags (list as JSON, optional)').fill('["a", "b"]')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('group', { name: 'result', exact: true }).getByText('"half": 0.5').waitFor()
    await page
      .getByRole('group', { name: 'result', exact: true })
      .getByText('<passages> </passages>')
      .waitFor()

    await page.getByRole('button', { name: 'Model call' }).click()
    await page.getByLabel('Prompt').fill('Please use tool main')
    await page.getByLabel('Model', { exact: true }).fill('gpt-5-mini')
    await page.getByLabel('API key').fill('sk-1')
    await expectAccessible(page)
    await page.getByLabel('Provider').selectOption('demo')
    await page.getByRole('button', { name: 'Run test' }).click()
    await page.getByText('Model reply').waitFor()
    expect(new URL(page.url()).searchParams.get('by')).toBe('model')
  })

  test('the URL filters the list; categories are created, renamed, and deleted if empty', async () => {
    const category_id = await smith.category('Weather')
    await smith.make({ fields: { name: 'Forecast', category_id } })
    const page = await open('/tools')
    await page.getByLabel('Category').selectOption({ label: 'Weather' })
    await page.getByRole('link', { name: 'Count words' }).waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('link', { name: 'Forecast' }).waitFor()
    expect(await page.getByRole('link', { name: 'Count words' }).count()).toBe(0)
    await page.getByLabel('Search tools').fill('nothing like it')
    await page.getByText('No results for “nothing like it”.').waitFor()
    await expectAccessible(page)

    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Manage categories' }).click()
    await page.getByLabel('New category').fill('Stars')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Rename Stars' }).click()
    await page.getByLabel('New name for Stars').fill('Weather')
    await page.getByRole('button', { name: 'Rename category', exact: true }).click()
    await page.getByRole('alert').getByText('A tool category with this name already exists').waitFor()
    await page.getByLabel('New name for Stars').fill('Planets')
    await page.getByRole('button', { name: 'Rename category', exact: true }).click()
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

  test('a tool is exported and imported; a tool that an agent uses is not deleted', async () => {
    const id = await smith.make({ fields: { name: 'Compass', version: '2' } })
    const keeper = await agentKeeper(stage.server, owner)
    const agentId = await keeper.make({ name: 'Scout', tools: [{ tool_id: id }] })
    const folder = await mkdtemp(join(tmpdir(), 'parley-tool-file-'))
    const page = await open(`/tools/${id}`)
    await page.getByRole('button', { name: 'More' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export tool' }).click(),
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
      .getByLabel('Tool file')
      .setInputFiles({ name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('{}') })
    await page.getByText('This isn’t a tool.').first().waitFor()
    await page.getByLabel('Tool file').setInputFiles(file)
    const dialog = page.getByRole('dialog', { name: 'Import tool' })
    await dialog.getByLabel('Category').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Import tool' }).click()
    await page.getByRole('heading', { level: 1, name: 'Compass' }).waitFor()
    await rm(folder, { recursive: true })
  })

  test('a public tool of another organization hides its code; guests can view but not change tools', async () => {
    const id = await smith.make({
      fields: { name: 'Almanac', is_public: true },
      configuration: [{ name: 'region', type: 'str', description: 'Where', default: 'north' }],
      network: ['example.com'],
    })
    const stranger = await stage.server.signUp()
    const page = await open('/tools', stranger)
    await page
      .getByRole('row', { name: /Almanac.*Other organization/ })
      .getByRole('link')
      .click()
    await page.getByRole('heading', { name: 'Public tool of another organization' }).waitFor()
    await page.getByText('The tool can reach example.com.').waitFor()
    expect(await code(page).count()).toBe(0)
    await page.getByLabel('text (text)').fill('hello')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('group', { name: 'result', exact: true }).getByText('hello').waitFor()
    await expectAccessible(page)

    const guest = await colleaguesOf(stage.server, owner).join('guest')
    const seen = await open(`/tools/${id}`, guest)
    await seen.getByText('Your role can’t change tools.').waitFor()
    await seen.getByText('Your role can’t run tools.').waitFor()
    await code(seen).waitFor()
    expect(await seen.getByRole('button', { name: 'Save' }).count()).toBe(0)
    await expectAccessible(seen)
    expect(stage.problems).toEqual([])
  })
})
