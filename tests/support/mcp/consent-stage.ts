import type { BrowserContextOptions, Page } from 'playwright-core'
import { borrowBrowser } from '../browser.ts'
import type { Person } from '../client.ts'
import type { TestServer } from '../server.ts'
import { REDIRECT_URI, startAddressedServer } from './connecting.ts'

/** The name that the app registers with. */
export const APP_NAME = 'An <b>app</b> & more'

export interface ConsentStage {
  server: TestServer
  /** A user with two organizations: a personal one, and The Lighthouse. */
  person: Person
  /**
   * Opens the consent page in a new browser context. `said` collects the page's console messages. `back` resolves
   * with the URL that the page redirects to; no server listens there.
   */
  open(options?: BrowserContextOptions): Promise<{ page: Page; back: Promise<URL>; said: string[] }>
  signIn(page: Page, password?: string): Promise<void>
  stop(): Promise<void>
}

/** Starts a server and a browser, and registers an app that requests access. */
export async function startConsentStage(): Promise<ConsentStage> {
  const [server, { newContext, giveBack }] = await Promise.all([startAddressedServer(), borrowBrowser()])
  const person = await server.signUp()
  const path = '/api/org/create_org?name=The%20Lighthouse'
  const created = await server.call('POST', path, { token: person.token })
  if (created.status !== 201) throw new Error(created.text)
  const body = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none', client_name: APP_NAME }
  const registered = await server.call('POST', '/mcp/oauth/register', { body })
  const address = `${server.url}/mcp/oauth/authorize?${new URLSearchParams({
    client_id: registered.body.client_id,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    code_challenge: 'c'.repeat(43),
    code_challenge_method: 'S256',
    state: 's',
  })}`
  return {
    server,
    person,
    async open(options = {}) {
      const context = await newContext(options)
      const page = await context.newPage()
      const said: string[] = []
      page.on('console', (message) => said.push(message.text()))
      page.on('pageerror', (error) => said.push(String(error)))
      const { promise, resolve } = Promise.withResolvers<URL>()
      // A redirect is a request of its own, which `page.route` does not see.
      page.on('request', (request) => {
        if (request.url().startsWith(REDIRECT_URI)) resolve(new URL(request.url()))
      })
      await page.goto(address)
      return { page, back: promise, said }
    },
    async signIn(page, password = person.password) {
      await page.getByLabel('Email').fill(person.email)
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
    },
    async stop() {
      await giveBack()
      await server.stop()
    },
  }
}
