import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import { type ConsoleStage, expectAccessible } from '#tests/support/console-stage.ts'
import type { Team } from '#tests/support/team.ts'
import { startTeamStage, type TeamStage } from '#tests/support/team-stage.ts'

/** Roles: viewing, creating, changing and deleting them, and the permissions of the installation. */

describeInBrowser('roles in the console', () => {
  let stage: ConsoleStage
  let team: Team
  let open: TeamStage['open']

  beforeAll(async () => {
    ;({ stage, team, open } = await startTeamStage())
  }, 240_000)
  afterAll(() => stage?.stop())

  test('a role that cannot be opened says why, and opens after Retry', async () => {
    const page = await open('/')
    await page.route('**/api/roles/list_permissions?*', (route) =>
      route.fulfill({ status: 500, json: { detail: 'The database is away.', code: 'server.internal' } }),
    )
    await page.goto(team.at('/roles?role_id=new'))
    const failure = page.getByRole('alert')
    await failure.waitFor()
    await page.unrouteAll()
    await failure.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('dialog', { name: 'Create role' }).waitFor()
  })

  test('a role is created from checkboxes, assigned, kept while it has members, and deleted', async () => {
    const { person, name } = await team.join('member', 'Emmy', 'Noether')
    const page = await open('/roles')
    await page.getByRole('button', { name: 'owner' }).click()
    const theirs = page.getByRole('dialog', { name: 'owner' })
    await theirs.getByText('System roles can’t be changed').waitFor()
    const all = theirs.getByRole('checkbox', { name: 'Everything: all' })
    expect([await all.isChecked(), await all.isDisabled()]).toEqual([true, true])
    await expectAccessible(page)
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Create role' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create role' })
    await dialog.getByLabel('Name').fill('Member')
    await dialog.getByRole('checkbox', { name: 'Knowledge bases: all' }).check()
    // Covered permissions are checked and disabled.
    expect(await dialog.getByRole('checkbox', { name: 'Knowledge bases: write' }).isChecked()).toBe(true)
    expect(await dialog.getByRole('checkbox', { name: 'Knowledge bases: write' }).isDisabled()).toBe(true)
    await dialog.getByRole('button', { name: 'Create role' }).click()
    await dialog.getByRole('alert').getByText('A role with this name already exists').waitFor()
    await expectAccessible(page)
    await dialog.getByLabel('Name').fill('Librarian')
    await dialog.getByLabel('Level').fill('30')
    await dialog.getByRole('button', { name: 'Create role' }).click()
    await page.getByRole('row', { name: /Librarian.*Knowledge bases/ }).waitFor()

    await team.api('PUT', `/api/users/update?user_id=${person.userId}`, {
      role_id: await roleId('Librarian'),
    })
    await page.getByRole('button', { name: 'Librarian' }).click()
    await page.waitForURL(/role_id=/)
    await page.reload()
    const role = page.getByRole('dialog', { name: 'Librarian' })
    await role.getByLabel('Description').fill('Keeps the books')
    await role.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /Librarian Keeps the books/ }).waitFor()
    await expectAccessible(page)

    const end = async () => {
      await page.getByRole('button', { name: 'Librarian' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    }
    await end()
    await page
      .getByRole('alert')
      .getByText(`This role is assigned to members: ${person.email}. Assign them another role first.`)
      .waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await team.api('PUT', `/api/users/update?user_id=${person.userId}`, { role_id: await roleId('member') })
    await end()
    await page.getByRole('row', { name: /Librarian/ }).waitFor({ state: 'detached' })
    expect(name).toBe('Emmy Noether')
  })

  test('without the permission to edit, there are checkboxes but no buttons', async () => {
    const { person } = await team.join('member', 'Kurt', 'Goedel')
    const page = await open('/roles', person)
    await page.getByRole('button', { name: 'guest' }).click()
    await page.getByRole('checkbox', { name: 'Everything: read' }).waitFor()
    expect(await page.getByRole('button', { name: /Create role|Permissions|Save|Delete/ }).count()).toBe(0)
  })

  test('a system administrator adds and removes permissions', async () => {
    const administrator = await team.administrator()
    const page = await stage.open('/roles', administrator)
    await page.getByRole('button', { name: 'Permissions' }).click()
    const dialog = page.getByRole('dialog', { name: 'Permissions of this installation' })
    await dialog.getByLabel('Name').fill('kb:read')
    await dialog.getByRole('button', { name: 'Add permission' }).click()
    await dialog
      .getByRole('alert')
      .getByText('A permission with this name already exists. Choose another name.')
      .waitFor()
    await dialog.getByLabel('Name').fill('report:read')
    await dialog.getByLabel('Description').fill('Read reports')
    await dialog.getByRole('button', { name: 'Add permission' }).click()
    await dialog.getByRole('listitem').filter({ hasText: 'Read reports' }).waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Remove report:read' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await dialog.getByText('No custom permissions yet').waitFor()
    expect(stage.problems).toEqual([])
  })

  const roleId = async (name: string): Promise<string> => {
    const { data } = await team.api('GET', '/api/roles/list_roles')
    return data.find((role: { name: string }) => role.name === name).id
  }
})
