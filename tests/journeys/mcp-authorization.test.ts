import { auth } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { allow, MemoryAuth, startAddressedServer } from '#tests/support/mcp/connecting.ts'
import type { TestServer } from '#tests/support/server.ts'

let server: TestServer
let person: Person
beforeAll(async () => {
  server = await startAddressedServer()
  person = await server.signUp()
})
afterAll(() => server.stop())

const serverUrl = (): string => `${server.url}/mcp`

async function connect(name?: string): Promise<{ provider: MemoryAuth; client: Client }> {
  const provider = new MemoryAuth(name)
  expect(await auth(provider, { serverUrl: serverUrl() })).toBe('REDIRECT')
  const back = await allow(provider.sentTo as URL, person)
  const authorizationCode = back.searchParams.get('code') ?? ''
  expect(await auth(provider, { serverUrl: serverUrl(), authorizationCode })).toBe('AUTHORIZED')
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(serverUrl()), { authProvider: provider }) as never,
  )
  return { provider, client }
}

describe('connecting an app', () => {
  test('registration, consent, tokens, tools', async () => {
    const { provider, client } = await connect()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['search_knowledge_bases', 'list_knowledge_bases'])
    expect(provider.kept).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'mcp' })
    await client.close()
  })
})
