import type { Page } from 'playwright-core'
import type { Person } from '#tests/support/client.ts'
import type { Filled } from './fill.ts'
import type { Screen } from './screens.ts'
import { addressOf, PASSWORD, type Shop } from './shop.ts'

/** Second factors, joining and leaving organizations, confirming connections, and pages that fail to load. */
export const screensOfAccounts = ({ accounts, people, connections }: Filled): Screen[] => [
  { name: 'second-factors', path: '/account', as: 'ida', before: showSecondFactors },
  { name: 'second-factor-app', path: '/account', as: 'jonas', before: showQrCode },
  { name: 'second-factor-codes', path: '/account', as: 'ida', before: replaceCodes },
  { name: 'second-factor-passkey', path: '/account', as: 'jonas', before: addPasskey },
  { name: 'second-factor-required', path: `/?org_id=${accounts.choir}`, as: 'jonas' },
  { name: 'sign-in-second-factor', path: '/sign_in', as: 'stranger', before: signInAsIda },
  {
    name: 'sign-in-recovery-code',
    path: '/sign_in',
    as: 'stranger',
    before: async (page) => {
      await signInAsIda(page)
      await page.getByRole('button', { name: 'Use a recovery code' }).click()
    },
  },
  { name: 'new-membership', path: '/', as: 'nils' },
  { name: 'leave', path: `/leave?token=${accounts.leaveToken}`, as: 'stranger' },
  { name: 'leave-organization', path: '/settings', as: 'jonas', before: askToLeave },
  { name: 'new-organization', path: '/organizations/new' },
  {
    name: 'usage-transfer',
    path: '/usage',
    before: (page) => page.getByRole('button', { name: 'Transfer credits' }).click(),
  },
  { name: 'usage-empty', path: `/usage?org_id=${accounts.choir}`, as: 'ida' },
  {
    name: 'connections-confirm',
    path: '/connections',
    before: (page, shop) => comeBack(page, shop, shop.owner, connections.diaryServer),
  },
  {
    name: 'connections-confirm-other',
    path: '/connections',
    before: (page, shop) => comeBack(page, shop, people.jonas, connections.diaryServer),
  },
  { name: 'connections-confirm-gone', path: `/connections/confirm#mt_${'x'.repeat(43)}` },
  { name: 'offline', path: '/agents', before: goOffline },
  { name: 'new-version', path: '/agents', before: replaceBuild },
]

async function showSecondFactors(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Regenerate recovery codes' }).focus()
}

async function showQrCode(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Set up authenticator app' }).click()
  await prove(page, 'Continue')
  await page.getByRole('img', { name: 'QR code' }).waitFor()
}

async function replaceCodes(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Regenerate recovery codes' }).click()
  await prove(page, 'Regenerate codes')
  await page.getByRole('list', { name: 'Recovery codes' }).waitFor()
}

async function prove(page: Page, action: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await dialog.getByRole('button', { name: action }).click()
}

async function addPasskey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Laptop')
}

async function signInAsIda(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(addressOf('ida'))
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByLabel('Code', { exact: true }).waitFor()
}

async function askToLeave(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Leave organization' }).click()
  await page.getByRole('alertdialog').waitFor()
}

/** Returns from the provider in a browser that has not started the connection. */
async function comeBack(page: Page, { stage, team, diary }: Shop, starter: Person, server_id: string) {
  const body = { server_id }
  const { redirect_url } = await team.api('POST', '/api/mcp/connect_account', body, starter)
  await page.goto(await diary.consent(redirect_url))
  await page.waitForURL(`${stage.server.environment['BASE_URL']}/connections/confirm`)
}

/** Opens the deployments page from the navigation, which is behind a menu button on a phone. */
async function goToDeployments(page: Page): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu' })
  if (await menu.isVisible()) await menu.click()
  await page.getByRole('link', { name: 'Deployments' }).click()
}

async function goOffline(page: Page): Promise<void> {
  await page.context().setOffline(true)
  await goToDeployments(page)
  await page.getByText('You’re offline').waitFor()
}

/** Replaces the built assets, as an update of the server does. */
async function replaceBuild(page: Page): Promise<void> {
  await page.route('**/assets/*.js', (route) => route.fulfill({ status: 404, json: {} }))
  const body = '<script type="module" src="/assets/new.js"></script>'
  await page.route('/', (route) => route.fulfill({ contentType: 'text/html', body }))
  await goToDeployments(page)
  await page.getByText('A new version is available').waitFor()
}
