import type {
  OAuthClientInformationFull,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthTokens,
} from '#tests/clients/mcp-client.ts'
import type { Person } from '#tests/support/client.ts'
import { findFreePort } from '#tests/support/free-port.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

export const REDIRECT_URI = 'http://127.0.0.1:8912/callback'

/** Starts a server whose BASE_URL is its real URL, as authorization requires. */
export async function startAddressedServer(environment: Record<string, string> = {}): Promise<TestServer> {
  const port = await findFreePort()
  return startTestServer({ PORT: String(port), BASE_URL: `http://127.0.0.1:${port}`, ...environment })
}

/**
 * Stores the state of an official SDK's client in memory. `sentTo` is the URL that the client redirects the browser
 * to.
 */
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

/** A response that the browser received. */
export interface Visited {
  status: number
  /** The Location header, or '' if the response is no redirect. */
  location: string
  text: string
  headers: Headers
}

/** A minimal browser that follows redirects and stores cookies. */
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

/** Approves a client's authorization request, as the consent page does. Returns the redirect URL. */
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
