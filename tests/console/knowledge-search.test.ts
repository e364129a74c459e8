import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, expectAccessible, startConsoleStage } from '#tests/support/console-stage.ts'
import { type Librarian, librarian, textSource } from '#tests/support/knowledge.ts'

/** What is found in knowledge bases, tried and measured in the console. */

const TEXTS = [
  textSource('Opening hours', 'The shop opens at nine and closes at six.'),
  textSource('Returns', 'Whoever returns a lamp within 30 days gets the money back.'),
  textSource('Returns, copied', 'Whoever returns a lamp within 30 days gets the money back!'),
  textSource('Delivery', 'A parcel with a lamp arrives after two days.'),
]

describeInBrowser('search in the console', () => {
  let stage: ConsoleStage
  let person: Person
  let library: Librarian
  let kb: string

  beforeAll(async () => {
    stage = await startConsoleStage()
    person = await stage.server.signUp()
    library = librarian(stage.server, person)
    kb = await library.create({ name: 'Shop', sources: TEXTS })
    await library.settle(kb)
  }, 120_000)
  afterAll(() => stage?.stop())

  test('a search shows the passages, its words in them, and how they were found', async () => {
    const page = await stage.open(`/knowledge/${kb}/search`, person)
    await page.getByLabel('Question or words').fill('lamps returned')
    await page.keyboard.press('Enter')
    const passages = page.getByRole('list', { name: 'Passages' }).getByRole('listitem')
    const best = passages.first()
    await best.getByRole('link', { name: 'Returns' }).waitFor()
    expect(await best.locator('mark').allTextContents()).toEqual(['returns', 'lamp'])
    await best
      .getByText(/rank 1/)
      .first()
      .waitFor()
    await page.getByText('1 near-duplicates left out').waitFor()
    await expectAccessible(page)

    await page.getByText('Options').click()
    await page.getByLabel('Filter by metadata').fill('{name: 1}')
    await page.getByText('This is no JSON').waitFor()
    await page.getByLabel('Filter by metadata').fill('{"name": {"near": 1}}')
    await page.getByRole('button', { name: 'Search', exact: true }).last().click()
    await page.getByRole('alert').getByText('filter.name.near is not a known condition').waitFor()
    await expectAccessible(page)
    await page.getByLabel('Filter by metadata').fill('{"name": "Delivery"}')
    await page.keyboard.press('Enter')
    await best.getByRole('link', { name: 'Delivery' }).waitFor()
    expect(await passages.count()).toBe(1)
    await page.reload()
    await best.getByRole('link', { name: 'Delivery' }).waitFor()
    expect(await page.getByLabel('Filter by metadata').inputValue()).toBe('{"name":"Delivery"}')
    await page.goBack()
    await page.goBack()
    await best.getByRole('link', { name: 'Returns' }).waitFor()
    await best.getByRole('link').click()
    await page.getByRole('heading', { name: /Returns/, level: 1 }).waitFor()
    await page.locator('li[aria-current=true]').waitFor()
  })

  test('nothing found is said, with what to try', async () => {
    const page = await stage.open(`/knowledge/${kb}/search?q=zebra&least=0.9`, person)
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
    await expectAccessible(page)
  })

  test('a model answers from the passages, and marks lead to them', async () => {
    const page = await stage.open(`/knowledge/${kb}/search?mode=ask`, person)
    await page.getByRole('searchbox', { name: 'Question' }).fill('When does the shop open?')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByText(/tokens read/).waitFor()
    const mark = page.getByRole('button', { name: 'Source 1: Opening hours' }).first()
    await mark.click()
    const source = page.getByRole('heading', { name: 'Opening hours' })
    await source.waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe('source-1')
    await page.getByText('Cited').first().waitFor()
    await expectAccessible(page)
    expect(page.url()).toContain('q=When')
  })

  test('an evaluation is written, run twice, compared and deleted', async () => {
    const page = await stage.open(`/knowledge/${kb}/evaluations`, person)
    await page.getByRole('heading', { name: 'No evaluations yet' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'New evaluation' }).click()
    const dialog = page.getByRole('dialog', { name: 'New evaluation' })
    await dialog.getByLabel('Name').fill('What customers ask')
    await dialog.getByLabel('Question 1', { exact: true }).fill('When does the shop open?')
    await dialog.getByRole('button', { name: 'Documents that answer question 1' }).click()
    await page.getByRole('option', { name: 'Opening hours' }).click()
    await page.keyboard.press('Escape')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Paste JSON or CSV' }).click()
    await dialog.getByRole('textbox', { name: 'Questions' }).fill('When?')
    await dialog.getByText('No document is named for: When?').waitFor()
    await expectAccessible(page)
    await dialog
      .getByRole('textbox', { name: 'Questions' })
      .fill('When does the shop open?,Opening hours\nWhich parcel?,Delivery,Gone.pdf')
    await dialog.getByText('2 questions read').waitFor()
    await dialog.getByRole('button', { name: 'Create' }).click()

    await page.getByRole('heading', { name: 'Not run yet' }).waitFor()
    await expectAccessible(page)
    const run = async (limit: string) => {
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      const asked = page.getByRole('dialog', { name: 'Run the evaluation' })
      await asked.getByLabel('Documents to find').fill(limit)
      await asked.getByRole('button', { name: 'Run', exact: true }).click()
      await asked.waitFor({ state: 'detached' })
      await page
        .getByRole('heading', { name: `Recall at ${limit}` })
        .or(page.getByText(`Recall at ${limit}`))
        .waitFor()
    }
    await run('1')
    await run('5')
    await page.getByRole('heading', { name: 'Run #2' }).waitFor()
    await page.getByRole('heading', { name: 'Over time' }).waitFor()
    await page.getByLabel('Compare with').selectOption({ index: 1 })
    await page.getByText('Which parcel?').click()
    await page.getByText('Gone.pdf (is not here any more)').waitFor()
    await page.getByRole('heading', { name: 'Found by the other run' }).first().waitFor()
    await expectAccessible(page)
    await page.reload()
    await page.getByLabel('Only those that miss something (1)').check()
    await page.getByText('Which parcel?').waitFor()
    expect(await page.getByText('When does the shop open?').count()).toBe(0)
    expect(await page.getByLabel('Compare with').inputValue()).not.toBe('')

    await page.getByRole('link', { name: 'All evaluations' }).click()
    await page.getByRole('link', { name: 'What customers ask' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'What customers ask' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'No evaluations yet' }).waitFor()
    expect(stage.problems).toEqual([])
  })
})
