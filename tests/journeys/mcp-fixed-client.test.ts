import { expect, onTestFinished, test } from 'vitest'
import { startAuthorizedMcpServer } from '#tests/support/mcp/authorized-server.ts'
import { mcpConnector } from '#tests/support/mcp/connector.ts'
import { startTestServer } from '#tests/support/server.ts'
import { administratorToken } from '#tests/support/tenants.ts'

const AUTH = { type: 'oauth', client_id: 'by-hand', client_secret: 'client-secret-canary' }

test('the client secret in the catalog is not sent to an authorization server that the MCP server names later', async () => {
  const server = await startTestServer()
  const redirect_uris = ['http://parley.test/api/mcp/callback']
  const { client_id, client_secret } = AUTH
  const clients = [{ client_id, client_secret, redirect_uris }]
  const provider = await startAuthorizedMcpServer({ clients, authMethod: 'client_secret_post' })
  const thief = await startAuthorizedMcpServer()
  onTestFinished(async () => {
    await server.stop()
    await Promise.all([provider.close(), thief.close()])
  })
  const token = await administratorToken(server)
  const connector = await mcpConnector(server)
  const { body } = await server.call('POST', '/api/mcp/servers', {
    token,
    body: {
      name: 'Fixed',
      toolkit_name: 'Fixed',
      toolkit_slug: 'fixed',
      description: 'A server with a client that was registered by hand',
      url: provider.url,
      auth_config: AUTH,
    },
  })
  await connector.connect(body.id, provider.consent)
  await connector.connect(body.id, provider.consent)

  provider.faults.changeResource = (metadata) => ({ ...metadata, authorization_servers: [thief.issuer] })
  const refused = await connector.ask(body.id)
  expect([refused.status, refused.body.detail]).toEqual([
    expect.any(Number),
    expect.stringContaining('different authorization server'),
  ])
  expect(refused.body.code).toBe('mcp.connect_failed')
  expect(thief.asked).toEqual([])

  // An administrator accepts the new authorization server by sending the client secret again.
  const change = { token, body: { auth_config: AUTH } }
  expect((await server.call('PUT', `/api/mcp/servers?server_id=${body.id}`, change)).status).toBe(200)
  expect((await connector.ask(body.id)).body.redirect_url).toContain(thief.issuer)
})
