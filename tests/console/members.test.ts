import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, expectAccessible } from '#tests/support/console-stage.ts'
import { type Team, teamOf } from '#tests/support/team.ts'
import { startTeamStage, type TeamStage } from '#tests/support/team-stage.ts'

/** Members: invitations, roles, suspension, removal, and the permissions that these need. */

describeInBrowser('members in the console', () => {
  let stage: ConsoleStage
  let owner: Person
  let team: Team
  let open: TeamStage['open']

  beforeAll(async () => {
    ;({ stage, owner, team, open } = await startTeamStage())
  }, 240_000)
  afterAll(() => stage?.stop())

  test('several people are invited; failures are explained, and links can be copied', async () => {
    const page = await open('/members')
    await page.getByRole('button', { name: 'Invite' }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite to Analytical Engines' })
    const addresses = dialog.getByLabel('Email addresses')
    await addresses.fill('grace@example.com nobody')
    await dialog.getByText('Not an email address: nobody').waitFor()
    expect(await dialog.getByRole('button', { name: 'Create invitation' }).isDisabled()).toBe(true)
    await addresses.fill(`Grace Hopper <grace@example.com>\nmary@example.com, ${owner.email}`)
    await dialog.getByLabel('Role').selectOption('guest')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Create 3 invitations' }).click()

    const results = page.getByRole('dialog', { name: '2 invitations created' })
    await results.getByText('This installation sends no email. Share each link yourself.').waitFor()
    await results
      .getByText('This user is already a member of the organization. Change their role instead.')
      .waitFor()
    await results
      .getByText(/\/invite\?token=inv_/)
      .first()
      .waitFor()
    await results.getByRole('button', { name: 'Copy link for grace@example.com' }).waitFor()
    await expectAccessible(page)
    await results.getByRole('button', { name: 'Correct failed invitations' }).click()
    expect(await addresses.inputValue()).toBe(owner.email)
    await page.keyboard.press('Escape')
    await page.getByRole('row', { name: /mary@example.com guest Invited/ }).waitFor()

    // A new link is created, then the invitation is revoked.
    await page.getByRole('button', { name: 'Actions for mary@example.com' }).click()
    await page.getByRole('menuitem', { name: 'Create new link' }).click()
    const resent = page.getByRole('dialog', { name: 'New link' })
    await resent.getByText(/\/invite\?token=inv_/).waitFor()
    await expectAccessible(page)
    await resent.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Actions for mary@example.com' }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('row', { name: /mary@example.com/ }).waitFor({ state: 'detached' })
  })

  test('a person with an account is found and added unless the organization turned that off', async () => {
    const turing = await stage.server.signUp()
    const { person: hopper, name } = await (await teamOf(stage.server, owner, 'Compilers')).join(
      'member',
      'Grace',
      'Hopper',
    )
    const page = await open('/members')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('button', { name: 'People with an account' }).click()
    await page.getByLabel('Person').fill('hopp')
    await page.getByRole('radio', { name: new RegExp(hopper.email) }).check()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Add member' }).click()
    await page.getByRole('row', { name: new RegExp(name) }).waitFor()

    // A person who shares no organization with the user is added by the ID that they give to the user.
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('button', { name: 'People with an account' }).click()
    await page.getByLabel('Person').fill(turing.email)
    await page.getByText('No matches in your organizations').waitFor()
    await page.getByLabel('Person').fill(turing.userId)
    await page.getByRole('button', { name: 'Add member' }).click()
    await page.getByRole('row', { name: /New member/ }).waitFor()
    expect(await page.getByText(turing.email).count()).toBe(0)
    await team.api('GET', '/api/chat/list', undefined, turing)
    await page.reload()
    await page.getByRole('row', { name: new RegExp(turing.email) }).waitFor()

    await team.asAdministrator('PUT', team.at('/api/org/features'), { team_members: false })
    await page.reload()
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('button', { name: 'People with an account' }).click()
    await page.getByText('is off for this organization').waitFor()
    await team.asAdministrator('PUT', team.at('/api/org/features'), { team_members: true })
  })

  test('a member gets another role, is suspended, found, and removed', async () => {
    const { person, name } = await team.join('member', 'Emmy', 'Noether')
    const page = await open('/members')
    await page.getByRole('searchbox', { name: 'Search' }).fill('noether')
    await page.waitForURL(/q=noether/)
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await page.getByRole('combobox', { name: `Role of ${name}` }).selectOption('admin')
    await page.getByText(`Role of ${name} changed to admin`).first().waitFor()
    await expectAccessible(page)

    await page.getByRole('button', { name: `Actions for ${name}` }).click()
    await page.getByRole('menuitem', { name: 'Suspend' }).click()
    await page.getByRole('heading', { name: 'No matches' }).waitFor()
    await expectAccessible(page)
    await page.getByLabel('Status').selectOption('Suspended')
    await page.reload()
    await page.getByRole('row', { name: new RegExp(`${name}.*Suspended`) }).waitFor()

    await page.getByRole('button', { name: `Actions for ${name}` }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    const question = page.getByRole('alertdialog', { name: `Remove ${name}?` })
    await question.getByText(person.email).waitFor()
    await expectAccessible(page)
    await question.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('heading', { name: 'No matches' }).waitFor()
  })

  test('a member sees the others but cannot change them; a transfer of ownership asks for the name', async () => {
    const { person, name } = await team.join('member', 'Kurt', 'Goedel')
    const theirs = await open('/members', person)
    await theirs.getByRole('row', { name: new RegExp(owner.email) }).waitFor()
    expect(await theirs.getByRole('button', { name: /Invite|Actions for/ }).count()).toBe(0)
    expect(await theirs.getByRole('combobox', { name: /Role of/ }).count()).toBe(0)

    const page = await open('/members')
    await page.getByRole('button', { name: `Actions for ${name}` }).click()
    await page.getByRole('menuitem', { name: 'Make owner' }).click()
    const question = page.getByRole('alertdialog', { name: `Make ${name} the owner?` })
    const yes = question.getByRole('button', { name: 'Transfer ownership' })
    expect(await yes.isDisabled()).toBe(true)
    await question.getByLabel(/Type/).fill('Analytical Engines')
    await yes.click()
    await page.getByText(`${name} is now the owner`).first().waitFor()
    // The former owner no longer has an owner's actions.
    await page
      .getByLabel(/^Role of/)
      .first()
      .waitFor({ state: 'detached' })
    await theirs.reload()
    await theirs.getByRole('button', { name: 'Invite' }).waitFor()
    expect(stage.problems).toEqual([])
  })
})
