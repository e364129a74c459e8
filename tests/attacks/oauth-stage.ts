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

/** The attempts of one part of the row. */
export interface Attempts {
  /** Genuine requests, which run in every sample: they prove that the refusals mean something. */
  genuine: Attempt[]
  attacks: Attempt[]
}

/** A server that is an authorization server, a client of other authorization servers, and signs in with OpenID. */
export interface OAuthStage {
  site: Stage
  /** Another installation. */
  elsewhere: Stage
  owner: Person
  stranger: Person
  /** Apps that the owner connects to /mcp. */
  deps: ReturnType<typeof authorizingAt>
  /** Serves Client ID Metadata Documents. */
  documents: HttpsSite
  openid: ForgingOpenid
  /** MCP servers, each with a separate authorization server. */
  providers: readonly [AuthorizedMcpServer, AuthorizedMcpServer]
  trap: OAuthTrap
  /** Returns headers of a request from a network that has sent none before. */
  anotherNetwork(): Record<string, string>
  /**
   * Sends an authorization request. Returns the status. Throws if the browser is redirected anywhere except to
   * Parley's consent page.
   */
  begin(url: string): Promise<number>
  close(): Promise<void>
}

/** A server on 127.0.0.2, which the site may not reach. */
export interface OAuthTrap {
  /** Host and port. */
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

/** Sends a request five times concurrently. At most one may succeed. */
export async function ensureOneSuccess(send: () => Promise<{ status: number }>): Promise<number> {
  const answers = await Promise.all(Array.from({ length: 5 }, send))
  const won = answers.filter(({ status }) => status === 200).length
  ensure(won <= 1, `${won} of them got tokens`)
  return 200
}

/** Throws with `seen` unless the check holds. */
export function ensure(isRight: boolean, seen: unknown): void {
  if (!isRight) throw new Error(typeof seen === 'string' ? seen : JSON.stringify(seen))
}
