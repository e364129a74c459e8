import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMcp, type Mcp } from '#parts/mcp/index.ts'
import {
  type AuthorizedMcpServer,
  type AuthorizedTool,
  startAuthorizedMcpServer,
} from '#tests/support/mcp/authorized-server.ts'
import { type Connector, mcpConnector } from '#tests/support/mcp/connector.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/**
 * A server that requires more scopes than the account was connected with (RFC 6750, 3.1; MCP, Scope Challenge
 * Handling).
 */

const FOREVER = new AbortController().signal

const tool = (name: string, scope?: string): AuthorizedTool => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
  ...(scope !== undefined && { scope }),
  run: () => `${name} is done`,
})

let server: TestServer
let mcp: Mcp
let remote: AuthorizedMcpServer
let owner: Connector
beforeAll(async () => {
  server = await sharedTestServer()
  mcp = createMcp(server.server.services)
  remote = await startAuthorizedMcpServer({ tools: [tool('read'), tool('write', 'tools:write')] })
  owner = await mcpConnector(server)
})
afterAll(async () => {
  await mcp.close()
  await server.stop()
  await remote.close()
})

async function call(id: string, name: string) {
  const instances = await mcp.findInstances(owner.person.userId, null, [id])
  const { tools } = await mcp.openTools(instances, FOREVER)
  return tools.find(({ definition }) => definition.name === name)?.run({}, FOREVER)
}

const askedScopes = (redirectUrl: string): string[] =>
  (new URL(redirectUrl).searchParams.get('scope') ?? '').split(' ')

test('reconnecting an account requests the missing scope in addition to the granted ones, once', async () => {
  const serverId = await owner.addServer(remote.url, { type: 'oauth' })
  const id = await owner.connect(serverId, (url) => remote.consent(url))
  expect(await call(id, 'read')).toMatchObject({ successful: true })
  for (let times = 0; times < 2; times++)
    expect(await call(id, 'write')).toMatchObject({
      successful: false,
      error: expect.stringContaining('Connect it again'),
    })
  const neededScope = async () => {
    const { sql } = server.server.services.database
    const [row] = await sql`select needed_scope as "neededScope" from mcp_instances where id = ${id}`
    return row?.['neededScope']
  }
  await expect.poll(neededScope).toBe('tools:write')

  const again = await owner.ask(serverId)
  expect(again.body.connectionData.mcp_session_id).toBe(id)
  expect(askedScopes(again.body.redirect_url)).toEqual(expect.arrayContaining(['tools:use', 'tools:write']))
  expect(await neededScope()).toBeNull()
  await owner.comeBack(await remote.consent(again.body.redirect_url))
  expect(await call(id, 'write')).toMatchObject({ output: 'write is done' })

  const another = await owner.ask(serverId)
  expect(another.body.connectionData.mcp_session_id).not.toBe(id)
  expect(askedScopes(another.body.redirect_url)).not.toContain('tools:write')
})
