import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import type {
  OAuthClientInformationFull,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js'
import type { Person } from '#tests/support/client.ts'
import { findFreePort } from '#tests/support/free-port.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

export const REDIRECT_URI = 'http://127.0.0.1:8912/callback'

/** A server that knows the address by which it is asked, as authorization needs it. */
export async function startAddressedServer(environment: Record<string, string> = {}): Promise<TestServer> {
  const port = await findFreePort()
  return startTestServer({ PORT: String(port), BASE_URL: `http://127.0.0.1:${port}`, ...environment })
}

/** What a client of the official SDK keeps, in memory. Where it sends the browser stands in `sentTo`. */
export class MemoryAuth implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT_URI
  sentTo: URL | undefined
  client: OAuthClientInformationFull | undefined
  kept: OAuthTokens | undefined
  verifier = ''
  readonly #name: string

  constructor(name = 'Test app') {
    this.#name = name
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: this.#name,
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
  }
  clientInformation = () => this.client
  saveClientInformation(client: OAuthClientInformationFull): void {
    this.client = client
  }
  tokens = () => this.kept
  saveTokens(tokens: OAuthTokens): void {
    this.kept = tokens
  }
  redirectToAuthorization(url: URL): void {
    this.sentTo = url
  }
  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier
  }
  codeVerifier = () => this.verifier
}

/** A page that a browser was answered with. */
export interface Visited {
  status: number
  /** '' where the browser stays. */
  location: string
  text: string
  headers: Headers
}

/** A browser as far as redirects and cookies go. */
export class Visitor {
  readonly #cookies = new Map<string, { value: string; path: string }>()

  async visit(
    url: string,
    options: { method?: string; token?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Visited> {
    const { method = 'GET', token, body } = options
    const { pathname } = new URL(url)
    const cookie = [...this.#cookies]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ')
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        cookie,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...options.headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    const text = await response.text()
    const { status, headers } = response
    return { status, headers, text, location: headers.get('location') ?? '' }
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    const path = /; ?path=([^;]*)/i.exec(line)?.[1] ?? '/'
    if (value === '') this.#cookies.delete(name)
    else this.#cookies.set(name, { value, path })
  }
}

/** Allows what a client asks for, as the page does it. Answers where the browser is sent back to. */
export async function allow(
  authorizationUrl: string | URL,
  person: Person,
  organizationId = person.organizationId,
  visitor = new Visitor(),
): Promise<URL> {
  const { location: page } = await visitor.visit(String(authorizationUrl))
  if (!page.includes('/consent/')) throw new Error(`no consent page: ${page}`)
  const answer = await visitor.visit(`${page}/allow`, {
    method: 'POST',
    token: person.token,
    body: { organization_id: organizationId },
  })
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  const back = await visitor.visit(JSON.parse(answer.text).location)
  return new URL(back.location)
}
