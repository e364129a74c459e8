import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, expectAccessible } from '#tests/support/console-stage.ts'
import { type Team, teamOf } from '#tests/support/team.ts'
import { startTeamStage, type TeamStage } from '#tests/support/team-stage.ts'

/** The organization's audit log, name, limits, export and import, and how it is left and deleted. */

describeInBrowser('the settings of an organization in the console', () => {
  let stage: ConsoleStage
  let owner: Person
  let team: Team
  let open: TeamStage['open']

  beforeAll(async () => {
    ;({ stage, owner, team, open } = await startTeamStage())
  }, 240_000)
  afterAll(() => stage?.stop())

  test('the audit log tells in sentences who changed what, with details and an export of what is shown', async () => {
    const { person, name } = await team.join('member', 'Emmy', 'Noether')
    await team.api('PUT', `/api/users/update_status?user_id=${person.userId}`, { status: 'suspended' })
    const page = await open('/audit')
    await page.getByLabel('Record').selectOption('member')
    await page.getByLabel('Action').selectOption({ label: 'Member: status changed' })
    await page.reload()
    const entry = page.getByRole('list', { name: 'Entries' }).getByRole('listitem')
    await entry.getByText(`Ada Lovelace changed the status of ${name}`).waitFor()
    expect(await entry.count()).toBe(1)
    expect(await entry.innerText()).not.toMatch(/[\da-f]{8}-|member\.status_changed/)
    await entry.getByRole('button', { name: 'Details' }).click()
    expect(await entry.locator('del').textContent()).toContain('active')
    expect(await entry.locator('ins').textContent()).toContain('suspended')
    await entry.getByText('member.status_changed').waitFor()
    await expectAccessible(page)
    const exported = async (format: string): Promise<string> => {
      await page.getByRole('button', { name: 'Export' }).click()
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: format }).click(),
      ])
      return readFile(await file.path(), 'utf8')
    }
    const [head, row, ...others] = (await exported('CSV for spreadsheets')).trim().split('\r\n')
    expect([head, others]).toEqual(['time,actor,sentence,action,record,changes,ip_address,id', []])
    expect(row).toContain(`Ada Lovelace changed the status of ${name}`)
    expect(row).toContain('status: active → suspended')
    expect(JSON.parse(await exported('JSON lines for programs'))).toMatchObject({
      record_name: name,
      after: { status: 'suspended' },
    })
    await entry.getByRole('button', { name }).click()
    await page.getByText(`Record: ${name}`).waitFor()
    await page.getByLabel('From').fill('2020-01-01')
    await page.getByLabel('To', { exact: true }).fill('2020-01-02')
    await page.getByText('No entries match these filters.').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('created the organization').waitFor()
  })

  test('it is renamed, exported, and imported under another name', async () => {
    await stage.server.call('POST', '/api/org/create_org?name=Taken', { token: owner.token })
    const page = await open('/settings')
    await page.getByText('File storage').waitFor()
    await expectAccessible(page)
    await page.getByLabel('Name').fill('taken')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page
      .getByRole('alert')
      .getByText('An organization with this name already exists. Choose another name.')
      .waitFor()
    await page.getByLabel('Name').fill('Difference Engines')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('button', { name: 'Organization: Difference Engines' }).waitFor()

    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download export' }).click(),
    ])
    const path = join(tmpdir(), `export-${team.id}.zip`)
    await file.saveAs(path)
    await page.getByRole('button', { name: 'Import organization' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import organization' })
    await dialog
      .getByLabel('File')
      .setInputFiles({ name: 'x.zip', mimeType: 'application/zip', buffer: Buffer.from('no') })
    await dialog.getByRole('button', { name: 'Import' }).click()
    await dialog.getByRole('alert').waitFor()
    await expectAccessible(page)
    await dialog.getByLabel('File').setInputFiles(path)
    await dialog.getByLabel('Name').fill('Engines again')
    await dialog.getByRole('button', { name: 'Import' }).click()
    const done = page.getByRole('dialog', { name: 'Engines again imported' })
    await done.getByRole('heading', { name: 'Not imported, or imported with changes' }).waitFor()
    await expectAccessible(page)
    await done.getByRole('link', { name: 'Open organization' }).click()
    await page.getByRole('button', { name: 'Organization: Engines again' }).waitFor()
  })

  test('a member leaves; the last owner cannot, and deletes it after typing its name', async () => {
    const other = await teamOf(stage.server, owner, 'Short-lived')
    const { person } = await other.join('member', 'Kurt', 'Goedel')
    const theirs = await stage.open(other.at('/settings'), person)
    await theirs.getByRole('heading', { name: 'Limits and usage' }).waitFor()
    expect(await theirs.getByRole('button', { name: /Rename|Download export|Delete/ }).count()).toBe(0)
    await theirs.getByRole('button', { name: 'Leave organization' }).click()
    await theirs.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click()
    await theirs.getByText('You left Short-lived').first().waitFor()
    await theirs.waitForURL(new RegExp(person.organizationId))

    const page = await stage.open(other.at('/settings'), owner)
    await page.getByRole('button', { name: 'Leave organization' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click()
    await page
      .getByText(
        'An organization must always keep at least one owner. Transfer the organization to another member first.',
      )
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Delete organization' }).click()
    const question = page.getByRole('alertdialog', { name: 'Delete “Short-lived”?' })
    await question.getByLabel(/Type/).fill('Short-lived')
    await expectAccessible(page)
    await question.getByRole('button', { name: 'Delete organization' }).click()
    await page.getByText('Short-lived deleted').first().waitFor()
    await page.waitForURL(new RegExp(owner.organizationId))
    expect(stage.problems).toEqual([])
  })
})
