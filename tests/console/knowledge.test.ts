import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, expectAccessible, sharedConsoleStage } from '#tests/support/console-stage.ts'
import { type Librarian, librarian, textSource } from '#tests/support/knowledge.ts'
import { roleOf } from '#tests/support/tenants.ts'
import { page as htmlOf, startWebsite, type Website } from '#tests/support/website.ts'

/** Knowledge bases, their sources and documents in the console. */

describeInBrowser('knowledge in the console', () => {
  let stage: ConsoleStage
  let site: Website
  let owner: Person
  let library: Librarian

  beforeAll(async () => {
    ;[stage, site] = await Promise.all([sharedConsoleStage(), startWebsite()])
    owner = await stage.server.signUp()
    const { body } = await stage.server.call('POST', '/api/org/create_org?name=Library&credits=100000', {
      token: owner.token,
    })
    owner = { ...owner, organizationId: body.id }
    library = librarian(stage.server, owner)
  }, 120_000)
  afterAll(async () => {
    await stage?.stop()
    await site?.close()
  })

  const open = (path: string, person = owner) =>
    stage.open(`${path}${path.includes('?') ? '&' : '?'}org_id=${owner.organizationId}`, person)
  const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
  const ready = (page: Page, name: string) =>
    rowOf(page, name).getByText('Ready').filter({ visible: true }).waitFor()
  const choose = async (page: Page, name: string, item: string) => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  const pick = (page: Page, ...files: [name: string, text: string][]) =>
    page.getByLabel('Files to add').setInputFiles(
      files.map(([name, text]) => ({
        name,
        mimeType: 'application/octet-stream',
        buffer: Buffer.from(text),
      })),
    )

  test('a user creates the first knowledge base and adds files, one of which is refused', async () => {
    const page = await open('/knowledge')
    await page.getByRole('heading', { name: 'No knowledge bases yet' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create knowledge base' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create knowledge base' })
    await dialog.getByText('Advanced settings').click()
    await dialog.getByLabel('Overlap').fill('400')
    await dialog.getByLabel('Name').fill('Shop')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByRole('alert').getByText('The overlap can be at most a quarter').waitFor()
    await expectAccessible(page)
    await dialog.getByLabel('Overlap').fill('50')
    await page.keyboard.press('Enter')

    await page.getByRole('heading', { name: 'No documents yet' }).waitFor()
    await expectAccessible(page)
    await pick(
      page,
      ['hours.md', '# Hours\n\nWe open at nine.'],
      ['terms.txt', 'All is final.'],
      ['a.bin', '\0\x01'],
    )
    await Promise.all([ready(page, 'hours.md'), ready(page, 'terms.txt')])
    const refused = page.getByRole('list', { name: 'Uploads' })
    await refused.getByRole('alert').waitFor()
    await expectAccessible(page)
    await refused.getByRole('button', { name: 'Remove a.bin' }).click()
    await refused.waitFor({ state: 'detached' })

    await page.getByLabel('Find documents by name').fill('hours')
    await page.keyboard.press('Enter')
    await rowOf(page, 'terms.txt').waitFor({ state: 'detached' })
    await page.reload()
    await ready(page, 'hours.md')
    await choose(page, 'hours.md', 'Delete')
    await page.getByText('No documents match “hours”').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await ready(page, 'hours.md')
    await choose(page, 'hours.md', 'Delete')
    await page.getByText('No documents match “hours”').waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Knowledge bases' }).first().click()
    await ready(page, 'Shop')
    await expectAccessible(page)
  })

  test('sources are added, refreshed and deleted with their documents', async () => {
    site.pages = { '/': htmlOf('Start', '/two'), '/two': htmlOf('Two') }
    const kb = await library.create({ name: 'Sources' })
    const page = await open(`/knowledge/${kb}/sources`)
    await page.getByRole('heading', { name: 'No sources yet' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Add source' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add source' })
    await dialog.getByLabel('URL').fill('http://10.0.0.1/')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByRole('alert').waitFor()
    await expectAccessible(page)
    await dialog.getByLabel('URL').fill(site.at('/', '127.0.0.1'))
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.waitFor({ state: 'detached' })
    // With the first source, the button moves from the middle of the page to its corner.
    await rowOf(page, '127.0.0.1').waitFor()

    await page.getByRole('button', { name: 'Add source' }).click()
    await dialog.getByLabel('Type').selectOption('S3 bucket')
    await dialog.getByLabel('Secret access key').waitFor()
    await expectAccessible(page)
    await dialog.getByLabel('Type').selectOption('Text')
    await dialog.getByLabel('Name').fill('Opening hours')
    await dialog.getByLabel('Text').fill('We open at nine.')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await ready(page, 'Opening hours')
    await ready(page, '127.0.0.1')
    await expectAccessible(page)

    site.pages = {
      '/': htmlOf('Start', '/two', '/three'),
      '/two': htmlOf('Two'),
      '/three': htmlOf('Three'),
    }
    await choose(page, site.at('/', '127.0.0.1'), 'Refresh source')
    await page.getByText('Refreshing source').first().waitFor()
    await rowOf(page, '127.0.0.1').getByRole('cell', { name: '3', exact: true }).waitFor()
    await choose(page, 'Opening hours', 'Delete')
    await page.getByRole('alertdialog').getByText('Its 1 document is deleted too.').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await rowOf(page, 'Opening hours').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Documents' }).click()
    await ready(page, 'Three')
  })

  test('a link opens a chunk, which is edited and excluded from search', async () => {
    const words = (name: string) => `${name} `.repeat(40)
    const content = Array.from(
      { length: 60 },
      (_, place) => `# Part ${place}\n\n${words(`part${place}`)}`,
    ).join('\n\n')
    const kb = await library.create({
      name: 'Parts',
      sources: [textSource('Book', content)],
      chunking: { max_tokens: 100, overlap_tokens: 0 },
    })
    await library.settle(kb)
    const { body } = await library.call('POST', 'search', { kb_id: kb }, { query: 'part47' })
    const { chunk_id: chunk, document_id: document, position } = body.results[0]
    const page = await open(`/knowledge/${kb}/documents/${document}?chunk=${chunk}`)
    const card = page.locator('li[aria-current=true]')
    await card.getByText('part47 part47').waitFor()
    const marked = "document.querySelector('li[aria-current=true]').getBoundingClientRect()"
    const isInView = `${marked}.top > 0 && ${marked}.bottom < innerHeight`
    await expect.poll(() => page.evaluate(isInView)).toBe(true)
    await card.getByRole('button', { name: `Edit chunk ${position + 1}` }).click()
    await card.getByLabel(`Text of chunk ${position + 1}`).fill('Corrected words')
    await expectAccessible(page)
    await card.getByRole('button', { name: 'Save' }).click()
    await card.getByText('Edited').waitFor()
    await card.getByRole('switch').click()
    await card.getByText('Excluded', { exact: true }).waitFor()
    const found = await library.call('POST', 'search', { kb_id: kb }, { query: 'Corrected' })
    expect(found.body.results.map((one: { chunk_id: string }) => one.chunk_id)).not.toContain(chunk)
    // The notice covers the button, and stays while the pointer is on it.
    await page.getByText('Chunk saved', { exact: true }).waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Previous page' }).click()
    await page.getByText('21 to 40 of').waitFor()
    await page.goBack()
    await card.getByText('Corrected words').waitFor()

    await page.goto(page.url().replace(chunk, document))
    await page.getByText('The linked passage no longer exists').waitFor()
    await expectAccessible(page)
  })

  test('a read-only role has no buttons to change anything, and losing a permission shows an error', async () => {
    const kb = await library.create({ name: 'Read only', sources: [textSource('One')] })
    await library.settle(kb)
    const reader = await stage.server.signUp()
    const asOwner = (method: string, path: string, given: object) =>
      stage.server.call(method, path, { token: owner.token, body: given })
    const member = await roleOf(stage.server, owner, 'member')
    await asOwner('POST', '/api/org/add_member', {
      organization_id: owner.organizationId,
      user_id: reader.userId,
      role_id: member,
    })
    const page = await open(`/knowledge/${kb}/documents`, reader)
    await page.getByRole('button', { name: 'Open organization' }).click()
    await page.getByRole('button', { name: 'Add source' }).click()
    const query = `org_id=${owner.organizationId}&user_id=${reader.userId}`
    const guest = await roleOf(stage.server, owner, 'guest')
    await asOwner('PUT', `/api/users/update?${query}`, { role_id: guest })
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('URL').fill(site.at('/', '127.0.0.1'))
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByRole('alert').getByText('Missing permission: kb:write').waitFor()

    await page.reload()
    await ready(page, 'One')
    expect(await page.getByRole('button', { name: /Add|Actions/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByText('Your role can’t change these settings.').waitFor()
    await expectAccessible(page)
  })

  test('settings rename, reindex and delete', async () => {
    const kb = await library.create({ name: 'Old name', sources: [textSource('One')] })
    await library.settle(kb)
    const page = await open(`/knowledge/${kb}/settings`)
    await page.getByLabel('Name').fill('New name')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'New name', level: 1 }).waitFor()
    await page.getByLabel('Chunk size').fill('200')
    await page.getByRole('button', { name: 'Reindex documents' }).click()
    await page.getByRole('alertdialog').getByText('1 document').waitFor()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Reindex documents' }).click()
    await page.getByText('Reindexing all documents').first().waitFor()
    await expectAccessible(page)
    await library.settle(kb)
    const { body } = await library.call('GET', 'get', { kb_id: kb })
    expect(body.chunking).toEqual({ max_tokens: 200, overlap_tokens: 50 })

    await page.getByRole('button', { name: 'Delete knowledge base' }).click()
    await expectAccessible(page)
    const typed = page.getByRole('alertdialog')
    expect(await typed.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
    await typed.getByRole('textbox').fill('New name')
    await typed.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('“New name” deleted').first().waitFor()
    await page.goto(`/knowledge/${kb}/documents?org_id=${owner.organizationId}`)
    await page.getByRole('alert').getByText('Knowledge base not found').waitFor()
    expect(stage.problems).toEqual([])
  })
})
