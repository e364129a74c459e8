import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, expectAccessible, sharedConsoleStage } from '#tests/support/console-stage.ts'
import { type Librarian, librarian, textSource } from '#tests/support/knowledge.ts'

/** Searches, answers and evaluations of knowledge bases in the console. */

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
    stage = await sharedConsoleStage()
    person = await stage.server.signUp()
    library = librarian(stage.server, person)
    kb = await library.create({ name: 'Shop', sources: TEXTS })
    await library.settle(kb)
  }, 120_000)
  afterAll(() => stage?.stop())

  test('a search shows passages, the matching words and the rank at each stage', async () => {
    const page = await stage.open(`/knowledge/${kb}/search`, person)
    await page.getByLabel('Question or keywords').fill('lamps returned')
    await page.keyboard.press('Enter')
    const passages = page.getByRole('list', { name: 'Passages' }).getByRole('listitem')
    const best = passages.first()
    await best.getByRole('link', { name: 'Returns' }).waitFor()
    await expect.poll(() => best.locator('mark').allTextContents()).toEqual(['returns', 'lamp'])
    await best
      .getByText(/Rank 1/)
      .first()
      .waitFor()
    await page.getByText('1 near-duplicate removed').waitFor()
    await expectAccessible(page)

    await page.getByText('Options').click()
    await page.getByLabel('Metadata filter').fill('{name: 1}')
    await page.getByText('Invalid JSON.').waitFor()
    await page.getByLabel('Metadata filter').fill('{"name": {"near": 1}}')
    await page.getByRole('button', { name: 'Search', exact: true }).last().click()
    await page.getByRole('alert').getByText('filter.name.near is not a known condition').waitFor()
    await expectAccessible(page)
    await page.getByLabel('Metadata filter').fill('{"name": "Delivery"}')
    await page.keyboard.press('Enter')
    await best.getByRole('link', { name: 'Delivery' }).waitFor()
    expect(await passages.count()).toBe(1)
    await page.reload()
    await best.getByRole('link', { name: 'Delivery' }).waitFor()
    expect(await page.getByLabel('Metadata filter').inputValue()).toBe('{"name":"Delivery"}')
    await page.goBack()
    await page.goBack()
    await best.getByRole('link', { name: 'Returns' }).waitFor()
    await best.getByRole('link').click()
    await page.getByRole('heading', { name: /Returns/, level: 1 }).waitFor()
    await page.locator('li[aria-current=true]').waitFor()
  })

  test('a search without matches suggests what to try', async () => {
    const page = await stage.open(`/knowledge/${kb}/search?q=zebra&least=0.9`, person)
    await page.getByRole('heading', { name: 'No matches' }).waitFor()
    await expectAccessible(page)
  })

  test('a model answers from the passages, and its citations link to them', async () => {
    const page = await stage.open(`/knowledge/${kb}/search?mode=ask`, person)
    await page.getByRole('searchbox', { name: 'Question' }).fill('When does the shop open?')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByText(/input tokens/).waitFor()
    const mark = page.getByRole('button', { name: 'Source 1: Opening hours' }).first()
    await mark.click()
    const source = page.getByRole('heading', { name: 'Opening hours' })
    await source.waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('source-1')
    await page.getByText('Cited').first().waitFor()
    await expectAccessible(page)
    expect(page.url()).toContain('q=When')
  })

  test('an evaluation is written, run twice, compared and deleted', async () => {
    const page = await stage.open(`/knowledge/${kb}/evaluations`, person)
    await page.getByRole('heading', { name: 'No evaluations yet' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create evaluation' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create evaluation' })
    await dialog.getByLabel('Name').fill('What customers ask')
    await dialog.getByLabel('Question 1', { exact: true }).fill('When does the shop open?')
    await dialog.getByRole('button', { name: 'Documents that answer question 1' }).click()
    await page.getByRole('option', { name: 'Opening hours' }).click()
    await page.keyboard.press('Escape')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Paste JSON or CSV' }).click()
    await dialog.getByRole('textbox', { name: 'Questions' }).fill('When?')
    await dialog.getByText('Name at least one document that answers “When?”.').waitFor()
    await expectAccessible(page)
    await dialog
      .getByRole('textbox', { name: 'Questions' })
      .fill('When does the shop open?,Opening hours\nWhich parcel?,Delivery,Gone.pdf')
    await dialog.getByText('2 questions').waitFor()
    await dialog.getByRole('button', { name: 'Create' }).click()

    await page.getByRole('heading', { name: 'No runs yet' }).waitFor()
    await expectAccessible(page)
    const run = async (limit: string) => {
      await page.getByRole('button', { name: 'Run evaluation' }).click()
      const asked = page.getByRole('dialog', { name: 'Run evaluation' })
      await asked.getByLabel('Results per question').fill(limit)
      await asked.getByRole('button', { name: 'Run evaluation' }).click()
      await asked.waitFor({ state: 'detached' })
      await page
        .getByRole('heading', { name: `Recall at ${limit}` })
        .or(page.getByText(`Recall at ${limit}`))
        .waitFor()
    }
    await run('1')
    await run('5')
    await page.getByRole('heading', { name: 'Run #2' }).waitFor()
    await page.getByRole('heading', { name: 'Metrics over time' }).waitFor()
    // The fold opens with the keyboard.
    await page.getByText('What do these numbers mean?').focus()
    await page.keyboard.press('Enter')
    await page.getByText('MRR (mean reciprocal rank)').waitFor()
    await page.getByLabel('Compare with').selectOption({ index: 1 })
    await page.getByText('Which parcel?').click()
    await page.getByText('(not in this knowledge base)').waitFor()
    await page.getByRole('heading', { name: 'Found in the other run' }).first().waitFor()
    await expectAccessible(page)
    await page.reload()
    await page.getByLabel('Only questions with missing documents (1)').check()
    await page.getByText('Which parcel?').waitFor()
    expect(await page.getByText('When does the shop open?').count()).toBe(0)
    expect(await page.getByLabel('Compare with').inputValue()).not.toBe('')

    await page.getByRole('link', { name: 'Evaluations', exact: true }).click()
    await page.getByRole('link', { name: 'What customers ask' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'What customers ask' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'No evaluations yet' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name: 'What customers ask' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'No evaluations yet' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'No evaluations yet' }).waitFor()
    expect(stage.problems).toEqual([])
  })
})
