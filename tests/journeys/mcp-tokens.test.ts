import { auth } from '@modelcontextprotocol/sdk/client/auth.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OAuthRecords } from '#parts/mcp-server/oauth-records.ts'
import { type Authorizing, openAuthorizing } from '#tests/support/mcp/authorizing.ts'
import { startTestServer } from '#tests/support/server.ts'

let desk: Authorizing
beforeAll(async () => {
  desk = await openAuthorizing()
})
afterAll(() => desk.server.stop())

describe('tokens', () => {
  test('are renewed, and the old one of a pair ends the connection when it comes again', async () => {
    const provider = await desk.connect('Renewing')
    const first = provider.kept?.refresh_token ?? ''
    expect(await auth(provider, { serverUrl: desk.serverUrl() })).toBe('AUTHORIZED')
    expect(provider.kept?.refresh_token).not.toBe(first)
    expect(await desk.ping(provider.kept?.access_token)).toBe(200)
    const again = await desk.refresh(desk.clientIdOf(provider), first)
    expect(again).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await desk.ping(provider.kept?.access_token)).toBe(401)
    const last = await desk.refresh(desk.clientIdOf(provider), provider.kept?.refresh_token ?? '')
    expect(last).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect((await desk.keysOf()).map(({ name }) => name)).not.toContain('MCP: Renewing')
  })

  test('of several that renew at once one has the new pair', async () => {
    const provider = await desk.connect()
    const token = provider.kept?.refresh_token ?? ''
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => desk.refresh(desk.clientIdOf(provider), token)),
    )
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
  })

  test('are revoked, and the key with them', async () => {
    const provider = await desk.connect('Revoking')
    const { access_token = '', refresh_token = '' } = provider.kept ?? {}
    const client_id = desk.clientIdOf(provider)
    expect((await desk.post('revoke', { client_id, token: refresh_token })).status).toBe(200)
    expect(await desk.ping(access_token)).toBe(401)
    expect((await desk.keysOf()).map(({ name }) => name)).not.toContain('MCP: Revoking')
    const { body } = await desk.server.call('GET', `/api/audit/list?org_id=${desk.person.organizationId}`, {
      token: desk.person.token,
    })
    expect(body.data[0]).toMatchObject({ action: 'api_key.deleted', before: { name: 'MCP: Revoking' } })
  })

  test('end when the key is deleted, which is how a person ends a connection', async () => {
    const provider = await desk.connect('Deleting')
    const key = (await desk.keysOf()).find(({ name }) => name === 'MCP: Deleting')
    await desk.server.call('DELETE', `/api/api_keys/delete?api_key_id=${key?.id}`, {
      token: desk.person.token,
    })
    expect(await desk.ping(provider.kept?.access_token)).toBe(401)
    const renewed = await desk.refresh(desk.clientIdOf(provider), provider.kept?.refresh_token ?? '')
    expect(renewed).toMatchObject({ status: 400, error: 'invalid_grant' })
  })

  test('open nothing but /mcp', async () => {
    const { kept } = await desk.connect()
    for (const path of [
      '/api/org/list',
      `/api/billing/balance?org_id=${desk.person.organizationId}`,
      '/openai/v1/models',
    ]) {
      const token = kept?.access_token ?? ''
      expect((await desk.server.call('GET', path, { token })).status).toBe(401)
      expect((await desk.server.call('GET', path, { token: kept?.refresh_token ?? '' })).status).toBe(401)
    }
    expect(await desk.ping(kept?.refresh_token)).toBe(401)
  })

  test('are known to every process on the database, and stored as nothing that could be used', async () => {
    const { BASE_URL = '', DATABASE_URL, SECRET = '' } = desk.server.environment
    const { kept, client } = await desk.connect()
    const { sql } = desk.server.server.rooms.database
    const rows = JSON.stringify(await sql`select * from oauth_records`)
    for (const secret of [kept?.access_token, kept?.refresh_token, client?.client_id])
      expect(rows).not.toContain(secret)
    if (DATABASE_URL === undefined) return
    const second = await startTestServer({ DATABASE_URL, SECRET, BASE_URL })
    expect(await desk.ping(kept?.access_token, second)).toBe(200)
    const form = {
      grant_type: 'refresh_token',
      client_id: client?.client_id ?? '',
      refresh_token: kept?.refresh_token ?? '',
    }
    const renewed = await desk.post('token', form, second.url)
    expect(renewed.status).toBe(200)
    expect(await desk.ping(renewed.access_token)).toBe(200)
    await second.stop()
  })
})

test('grants that nobody uses end with their keys', async () => {
  const { kept } = await desk.connect('Forgotten')
  const { sql } = desk.server.server.rooms.database
  await sql`
    update oauth_records set expires_at = now() - interval '1 second'
    where kind = 'Grant' and api_key_id = (select id from api_keys where name = 'MCP: Forgotten')`
  await new OAuthRecords(desk.server.server.rooms).sweep()
  expect(await desk.ping(kept?.access_token)).toBe(401)
  expect((await desk.keysOf()).map(({ name }) => name)).not.toContain('MCP: Forgotten')
})
