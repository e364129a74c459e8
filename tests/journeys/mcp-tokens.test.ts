import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OAuthRecords } from '#parts/mcp-server/oauth-records-system.ts'
import { auth } from '#tests/clients/mcp-client.ts'
import { type Authorizing, openAuthorizing } from '#tests/support/mcp/authorizing.ts'
import { startTestServer } from '#tests/support/server.ts'

let deps: Authorizing
beforeAll(async () => {
  deps = await openAuthorizing()
})
afterAll(() => deps.server.stop())

describe('tokens', () => {
  test('are refreshed, and reuse of an old refresh token ends the connection', async () => {
    const provider = await deps.connect('Renewing')
    const first = provider.kept?.refresh_token ?? ''
    expect(await auth(provider, { serverUrl: deps.serverUrl() })).toBe('AUTHORIZED')
    expect(provider.kept?.refresh_token).not.toBe(first)
    expect(await deps.ping(provider.kept?.access_token)).toBe(200)
    const again = await deps.refresh(deps.clientIdOf(provider), first)
    expect(again).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await deps.ping(provider.kept?.access_token)).toBe(401)
    const last = await deps.refresh(deps.clientIdOf(provider), provider.kept?.refresh_token ?? '')
    expect(last).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect((await deps.keysOf()).map(({ name }) => name)).not.toContain('MCP: Renewing')
  })

  test('are issued to at most one of several concurrent refreshes', async () => {
    const provider = await deps.connect()
    const token = provider.kept?.refresh_token ?? ''
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => deps.refresh(deps.clientIdOf(provider), token)),
    )
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
  })

  test('can be revoked, which deletes the API key', async () => {
    const provider = await deps.connect('Revoking')
    const { access_token = '', refresh_token = '' } = provider.kept ?? {}
    const client_id = deps.clientIdOf(provider)
    expect((await deps.post('revoke', { client_id, token: refresh_token })).status).toBe(200)
    expect(await deps.ping(access_token)).toBe(401)
    expect((await deps.keysOf()).map(({ name }) => name)).not.toContain('MCP: Revoking')
    const { body } = await deps.server.call('GET', `/api/audit/list?org_id=${deps.person.organizationId}`, {
      token: deps.person.token,
    })
    expect(body.data[0]).toMatchObject({ action: 'api_key.deleted', before: { name: 'MCP: Revoking' } })
  })

  test('end when the user deletes the API key', async () => {
    const provider = await deps.connect('Deleting')
    const key = (await deps.keysOf()).find(({ name }) => name === 'MCP: Deleting')
    await deps.server.call('DELETE', `/api/api_keys/delete?api_key_id=${key?.id}`, {
      token: deps.person.token,
    })
    expect(await deps.ping(provider.kept?.access_token)).toBe(401)
    const renewed = await deps.refresh(deps.clientIdOf(provider), provider.kept?.refresh_token ?? '')
    expect(renewed).toMatchObject({ status: 400, error: 'invalid_grant' })
  })

  test('are accepted only at /mcp', async () => {
    const { kept } = await deps.connect()
    for (const path of [
      '/api/org/list',
      `/api/billing/balance?org_id=${deps.person.organizationId}`,
      '/openai/v1/models',
    ]) {
      const token = kept?.access_token ?? ''
      expect((await deps.server.call('GET', path, { token })).status).toBe(401)
      expect((await deps.server.call('GET', path, { token: kept?.refresh_token ?? '' })).status).toBe(401)
    }
    expect(await deps.ping(kept?.refresh_token)).toBe(401)
  })

  test('work in every process on the database, and are not stored in plain text', async () => {
    const { BASE_URL = '', DATABASE_URL, SECRET = '' } = deps.server.environment
    const { kept, client } = await deps.connect()
    const { sql } = deps.server.server.services.database
    const rows = JSON.stringify(await sql`select * from oauth_records`)
    for (const secret of [kept?.access_token, kept?.refresh_token, client?.client_id])
      expect(rows).not.toContain(secret)
    if (DATABASE_URL === undefined) return
    const second = await startTestServer({ DATABASE_URL, SECRET, BASE_URL })
    expect(await deps.ping(kept?.access_token, second)).toBe(200)
    const form = {
      grant_type: 'refresh_token',
      client_id: client?.client_id ?? '',
      refresh_token: kept?.refresh_token ?? '',
    }
    const renewed = await deps.post('token', form, second.url)
    expect(renewed.status).toBe(200)
    expect(await deps.ping(renewed.access_token)).toBe(200)
    await second.stop()
  })
})

test('unused grants expire with their API keys', async () => {
  const { kept } = await deps.connect('Forgotten')
  const { sql } = deps.server.server.services.database
  await sql`
    update oauth_records set expires_at = now() - interval '1 second'
    where kind = 'Grant' and api_key_id = (select id from api_keys where name = 'MCP: Forgotten')`
  await new OAuthRecords(deps.server.server.services).sweep()
  expect(await deps.ping(kept?.access_token)).toBe(401)
  expect((await deps.keysOf()).map(({ name }) => name)).not.toContain('MCP: Forgotten')
})
