import type { Page } from 'playwright-core'
import { ASKED_OF_HANDBOOK, TRIED } from './chats.ts'
import type { Filled } from './fill.ts'
import { screensOfAccounts } from './screens-of-accounts.ts'
import type { Shop } from './shop.ts'

/**
 * The user who views a screen. `jonas` has no second factor, `ida` has two. `nils` was added and has opened nothing.
 */
export type Viewer = 'owner' | 'stranger' | 'administrator' | 'jonas' | 'ida' | 'nils'

/** One screenshot: its name, the address of the screen, and the steps before it is taken. */
export interface Screen {
  name: string
  path: string
  /** The owner of the shop by default. */
  as?: Viewer
  before?: (page: Page, shop: Shop) => Promise<void>
  /** True for the most important screens, which are also taken in dark mode and on a phone. */
  isChief?: true
}

/** Every screen of the console (screens/…/routes.ts). */
export const screensOf = (filled: Filled): Screen[] => [
  ...strangers(filled.people.invitationToken),
  { name: 'home', path: '/', isChief: true },
  { name: 'chat', path: `/chats/${filled.chat}`, before: seeCode, isChief: true },
  { name: 'chat-new', path: '/chats' },
  { name: 'conversations', path: '/conversations' },
  { name: 'conversation', path: `/conversations/${filled.conversation}` },
  { name: 'agents', path: '/agents' },
  { name: 'agent', path: `/agents/${filled.agent}`, before: tryAgent, isChief: true },
  ...ofKnowledge(filled),
  { name: 'tools', path: '/tools' },
  { name: 'tool', path: `/tools/${filled.tool}`, before: runTool },
  ...ofConnections(filled),
  { name: 'playground', path: `/playground?with=["${filled.connections.parcels}"]` },
  ...ofDeployments(filled),
  ...ofOrganization(filled),
  { name: 'account', path: '/account' },
  ...screensOfAccounts(filled),
  { name: 'not-found', path: '/nowhere' },
]

const strangers = (invitation: string): Screen[] =>
  [
    { name: 'sign-in', path: '/sign_in' },
    { name: 'sign-up', path: '/sign_up' },
    { name: 'forgot-password', path: '/forgot_password' },
    { name: 'reset-password', path: '/reset_password?token=of-a-mail' },
    { name: 'verify-email', path: '/verify_email?token=of-a-mail' },
    { name: 'invite', path: `/invite?token=${invitation}` },
    { name: 'magic-link', path: '/magic_link?token=of-a-mail' },
    { name: 'oidc', path: '/oidc?error=The+provider+has+refused+the+sign-in' },
  ].map((screen) => ({ ...screen, as: 'stranger' }))

function ofKnowledge({ knowledge: { handbook, document, evaluation } }: Filled): Screen[] {
  const at = (path: string) => `/knowledge/${handbook}/${path}`
  const question = encodeURIComponent(ASKED_OF_HANDBOOK.asked)
  return [
    { name: 'knowledge', path: '/knowledge' },
    { name: 'knowledge-documents', path: at('documents') },
    { name: 'knowledge-sources', path: at('sources') },
    { name: 'knowledge-search', path: at('search?q=returning+a+signed+book'), isChief: true },
    { name: 'knowledge-ask', path: at(`search?mode=ask&q=${question}`), before: askHandbook },
    { name: 'knowledge-evaluations', path: at('evaluations') },
    { name: 'knowledge-evaluation', path: at(`evaluations/${evaluation}`) },
    { name: 'knowledge-settings', path: at('settings') },
    { name: 'knowledge-document', path: at(`documents/${document}`) },
  ]
}

const ofConnections = ({ connections: { parcelServer, diary } }: Filled): Screen[] => [
  { name: 'connections', path: '/connections' },
  { name: 'connections-catalogue', path: '/connections?tab=catalogue' },
  { name: 'connections-server', path: `/connections?tab=catalogue&server_id=${parcelServer}` },
  { name: 'connections-parley', path: '/connections?tab=parley' },
  { name: 'connections-callback', path: `/mcp/callback?mcp_session_id=${diary}` },
]

function ofDeployments({ deployments: { website, report } }: Filled): Screen[] {
  return [
    { name: 'deployments', path: '/deployments' },
    { name: 'deployment', path: `/deployments/${website}` },
    { name: 'deployment-look', path: `/deployments/${website}?tab=look` },
    { name: 'deployment-install', path: `/deployments/${website}?tab=install` },
    { name: 'deployment-api', path: `/deployments/${report}?tab=install` },
    { name: 'deployment-key', path: `/deployments/${website}?tab=key` },
  ]
}

const ofOrganization = ({ models, webhook }: Filled): Screen[] => [
  { name: 'members', path: '/members' },
  { name: 'roles', path: '/roles' },
  { name: 'role-new', path: '/roles?role_id=new' },
  { name: 'models', path: '/models' },
  { name: 'model', path: `/models?model_id=${models.large}` },
  { name: 'usage', path: '/usage' },
  { name: 'usage-ledger', path: '/usage?tab=ledger' },
  { name: 'usage-budgets', path: '/usage?tab=budgets' },
  { name: 'api-keys', path: '/api_keys' },
  { name: 'webhooks', path: '/webhooks' },
  { name: 'webhook', path: `/webhooks/${webhook}` },
  { name: 'audit', path: '/audit' },
  { name: 'settings', path: '/settings' },
  { name: 'admin', path: '/admin', as: 'administrator' },
]

/** Waits until the code of a reply is highlighted, which needs the definition of its language to load. */
const seeCode = (page: Page): Promise<void> => page.locator('pre [class*=hljs]').first().waitFor()

async function tryAgent(page: Page): Promise<void> {
  const toTrial = page.getByRole('button', { name: 'Test', exact: true })
  await page.getByText('All changes saved').first().waitFor()
  if (await toTrial.isVisible()) await toTrial.click()
  await page.getByLabel('Message', { exact: true }).fill(TRIED.asked)
  await page.keyboard.press('Enter')
  await page.getByText('it reaches you after two days').waitFor()
  // Until the renderer of Markdown is loaded, a reply shows its source.
  await page.locator('strong', { hasText: 'two copies' }).waitFor()
  await page.getByRole('button', { name: 'Send' }).waitFor()
}

async function askHandbook(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Ask', exact: true }).last().click()
  await page.getByText(/input tokens/).waitFor()
}

async function runTool(page: Page): Promise<void> {
  await page.getByLabel('title (text)').fill('tide')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('group', { name: 'result' }).getByText('in_stock').waitFor()
}
