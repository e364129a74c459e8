import { afterAll, beforeAll, expect, test } from 'vitest'
import { OAuthRecords } from '#parts/mcp-server/oauth-records-system.ts'
import { createSecrets } from '#platform/secrets/secrets.ts'
import { type AuthorizedMcpServer, startAuthorizedMcpServer } from '#tests/support/mcp/authorized-server.ts'
import { mcpConnector } from '#tests/support/mcp/connector.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** Values stored under another SECRET can't be decrypted, but can be replaced and deleted. */

let server: TestServer
let provider: AuthorizedMcpServer
beforeAll(async () => {
  server = await startTestServer()
  provider = await startAuthorizedMcpServer()
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const other = createSecrets('another secret')

test('an account stored under another SECRET can be reconnected and deleted', async () => {
  const { sql } = server.server.services.database
  const connector = await mcpConnector(server)
  const serverId = await connector.addServer(provider.url, { type: 'oauth' })
  const id = await connector.connect(serverId, provider.consent)
  const spoil = () =>
    sql`update mcp_instances set credentials = ${other.encrypt('{}', id)}, status = 'inactive' where id = ${id}`
  await spoil()
  await sql`update mcp_clients set client = ${other.encrypt('{}', serverId)} where server_id = ${serverId}`
  expect(await connector.connect(serverId, provider.consent)).toBe(id)
  expect((await connector.list()).body).toMatchObject([{ id, status: 'active' }])
  await spoil()
  expect((await connector.remove(id)).status).toBe(200)
})

test('a client registered under another SECRET is unknown, so it registers again', async () => {
  const { services } = server.server
  const before = new OAuthRecords({ ...services, secrets: other })
  await before.put('Client', 'client-before', { client_id: 'client-before' }, undefined)
  expect(await before.find('Client', 'client-before')).toMatchObject({ client_id: 'client-before' })
  expect(await new OAuthRecords(services).find('Client', 'client-before')).toBeUndefined()
  const answer = await fetch(`${server.url}/mcp/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: 'client-before',
      refresh_token: 'x'.repeat(43),
    }),
  })
  expect(await answer.json()).toMatchObject({ error: 'invalid_client' })
})
