import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Person } from '#tests/support/client.ts'
import { type ForgingOpenid, startForgingOpenid } from '#tests/support/forging-openid.ts'
import { type HttpsSite, startHttpsSite } from '#tests/support/https-site.ts'
import { type AuthorizedMcpServer, startAuthorizedMcpServer } from '#tests/support/mcp/authorized-server.ts'
import { authorizingAt } from '#tests/support/mcp/authorizing.ts'
import { Visitor } from '#tests/support/mcp/connecting.ts'
import { OPENID_CLIENT } from '#tests/support/openid-provider.ts'
import type { Attempt } from './attempts.ts'
import type { Stage } from './stage.ts'

/** The attempts of one file of the row `oauth`. */
export interface Attempts {
  /** Genuine requests, which run in every sample. They prove that the server doesn't just reject everything. */
  genuine: Attempt[]
  attacks: Attempt[]
}

/**
 * A server that acts as an authorization server, as a client of other authorization servers, and as a client of an
 * OpenID provider.
 */
export interface OAuthStage {
  site: Stage
  /** A separate installation with its own database and secret. */
  elsewhere: Stage
  owner: Person
  stranger: Person
  /** Helpers that act as the apps that the owner connects to /mcp. */
  deps: ReturnType<typeof authorizingAt>
  /** A website that serves Client ID Metadata Documents. */
  documents: HttpsSite
  openid: ForgingOpenid
  /** Two MCP servers, each with its own authorization server. */
  providers: readonly [AuthorizedMcpServer, AuthorizedMcpServer]
  trap: OAuthTrap
  /** Returns request headers with an IP address of a network that has sent no requests yet. */
  anotherNetwork(): Record<string, string>
  /**
   * Sends an authorization request and returns the status. Throws if the response redirects the browser anywhere
   * except to Parley's consent page.
   */
  begin(url: string): Promise<number>
  close(): Promise<void>
}

/** A server on 127.0.0.2, to which the site must never connect. */
export interface OAuthTrap {
  /** The host and the port, as `host:port`. */
  host: string
  connections(): number
  close(): void
}

export async function openOAuthStage(main: Stage): Promise<OAuthStage> {
  const [documents, openid, trap, ...providers] = await Promise.all([
    startHttpsSite(),
    startForgingOpenid(),
    openTrap(),
    startAuthorizedMcpServer({ authMethod: 'client_secret_basic' }),
    startAuthorizedMcpServer({ authMethod: 'client_secret_basic' }),
  ])
  const certificates = join(main.dataDir, 'documents.pem')
  writeFileSync(certificates, documents.certificate)
  const site = await main.another({
    TRUST_PROXY: '1',
    ALLOW_PRIVATE_NETWORK: '127.0.0.1/32',
    NODE_EXTRA_CA_CERTS: certificates,
    OIDC_ISSUER: openid.issuer,
    OIDC_CLIENT_ID: OPENID_CLIENT.id,
    OIDC_CLIENT_SECRET: OPENID_CLIENT.secret,
  })
  const [owner, stranger] = await Promise.all([site.signUp(), site.signUp()])
  let networks = 0
  const anotherNetwork = () => ({ 'x-forwarded-for': `2001:db8:${(++networks).toString(16)}::1` })
  return {
    ...{ site, elsewhere: main, owner, stranger, documents, openid, providers, trap, anotherNetwork },
    deps: authorizingAt(site, owner),
    async begin(url) {
      const { status, location } = await new Visitor().visit(url, { headers: anotherNetwork() })
      if (location !== '' && !location.startsWith(`${site.url}/mcp/oauth/consent/`))
        throw new Error(`sent to ${location}`)
      return status
    },
    async close() {
      trap.close()
      await Promise.all([documents, openid, ...providers].map((one) => one.close()))
    },
  }
}

async function openTrap(): Promise<OAuthTrap> {
  let connections = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.end()
  })
  await once(server.listen(0, '127.0.0.2'), 'listening')
  return {
    host: `127.0.0.2:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Sends a request five times concurrently. Throws if more than one request succeeds. */
export async function ensureOneSuccess(send: () => Promise<{ status: number }>): Promise<number> {
  const answers = await Promise.all(Array.from({ length: 5 }, send))
  const won = answers.filter(({ status }) => status === 200).length
  ensure(won <= 1, `${won} of them got tokens`)
  return 200
}

/** Throws an error with the message `seen` if the check has failed. */
export function ensure(isRight: boolean, seen: unknown): void {
  if (!isRight) throw new Error(typeof seen === 'string' ? seen : JSON.stringify(seen))
}
