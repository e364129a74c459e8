import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { McpAuthorizer, type ServerToAuthorize, type StoredGrant } from '#platform/mcp/authorization.ts'
import { AuthorizationError } from '#platform/mcp/authorization-error.ts'
import { createNet } from '#platform/net/index.ts'
import { type AuthorizedMcpServer, startAuthorizedMcpServer } from './authorized-server.ts'

export const REDIRECT_URI = 'https://parley.example/api/mcp/callback'

/**
 * For each test of a file, starts a server on 127.0.0.1 that clients authorize with. Host names resolve to 127.0.0.2,
 * where a second server `inside` must never receive a connection. This is checked after each test.
 */
export function setAuthorizationStage() {
  const signal = new AbortController().signal
  const net = createNet({
    allowPrivateNetwork: ['127.0.0.1'],
    resolveName: (_name, _options, tell) => tell(null, [{ address: '127.0.0.2', family: 4 }]),
  })
  const authorizer = new McpAuthorizer(net, {
    redirectUri: REDIRECT_URI,
    clientMetadataUrl: null,
    clientName: 'Parley',
  })
  let connections = 0
  const inside = createServer((_request, response) => response.end('{}'))
  inside.on('connection', () => connections++)
  const stage = {
    net,
    signal,
    authorizer,
    server: null as unknown as AuthorizedMcpServer,
    insidePort: 0,
    begin: (more: Partial<ServerToAuthorize> = {}) =>
      authorizer.begin({ url: stage.server.url, ...more }, 'the-state', signal),
    async connect(): Promise<StoredGrant> {
      const { url, pending } = await stage.begin()
      const back = new URL(await stage.server.consent(url))
      return authorizer.finish(pending, Object.fromEntries(back.searchParams) as { code: string }, signal)
    },
  }
  beforeAll(async () => {
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.2', resolve))
    stage.insidePort = (inside.address() as AddressInfo).port
  })
  beforeEach(async () => {
    stage.server = await startAuthorizedMcpServer()
  })
  afterEach(async () => {
    await stage.server.close()
    expect(connections).toBe(0)
  })
  afterAll(async () => {
    await net.close()
    await new Promise((resolve) => inside.close(resolve))
  })
  return stage
}

/**
 * Returns the AuthorizationError that `work` rejects with. Checks that its message is one line and contains no
 * secrets.
 */
export async function authorizationFailureOf(
  work: Promise<unknown>,
  secrets: string[] = [],
): Promise<AuthorizationError> {
  const failure = await work.then(
    () => null,
    (error: unknown) => error,
  )
  expect(failure).toBeInstanceOf(AuthorizationError)
  const { message, stack, cause } = failure as AuthorizationError
  expect(message).toMatch(/^[^\p{C}]{10,600}$/u)
  for (const secret of secrets) expect(`${message} ${stack} ${String(cause)}`).not.toContain(secret)
  return failure as AuthorizationError
}
