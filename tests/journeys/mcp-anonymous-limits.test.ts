import { afterAll, beforeAll, expect, test } from 'vitest'
import { OAuthRecords } from '#parts/mcp-server/oauth-records-system.ts'
import { type Authorizing, openAuthorizing } from '#tests/support/mcp/authorizing.ts'
import { allow } from '#tests/support/mcp/connecting.ts'

/** Limits on what unauthenticated clients can make the authorization server of /mcp store. */

let deps: Authorizing
beforeAll(async () => {
  deps = await openAuthorizing()
})
afterAll(() => deps.server.stop())

const authorize = async (clientId: string, address: string) => {
  const { pathname, search } = new URL(deps.authorizeUrl(clientId))
  return deps.server.call('GET', pathname + search, {
    headers: { accept: 'text/html', 'x-forwarded-for': address },
  })
}
const sql = () => deps.server.server.services.database.sql
const countOf = async (kind: string): Promise<number> => {
  const [row] = await sql()<{ count: number }[]>`
    select count(*)::int as count from oauth_records where kind = ${kind}`
  return row?.count ?? 0
}

test('one network has at most 50 pending authorization requests, without affecting others', async () => {
  const clientId = await deps.registered()
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, number) => authorize(clientId, `2001:db8:1:1::${number + 1}`)),
  )
  const refused = answers.filter(({ status }) => status === 429)
  expect([answers.filter(({ status }) => status === 303).length, refused.length]).toEqual([50, 10])
  expect(refused[0]?.headers.get('location')).toBeNull()
  expect(refused[0]?.text).toContain('Too many authorization requests')
  expect(await countOf('Interaction')).toBe(50)
  expect((await authorize(clientId, '2001:db8:1:2::1')).status).toBe(303)
  expect((await authorize(clientId, '192.0.2.77')).status).toBe(303)
  // A decided request no longer counts as pending.
  const back = await allow(deps.authorizeUrl(clientId), deps.person)
  expect(back.searchParams.get('code')).not.toBeNull()
  expect(await countOf('Interaction')).toBe(52)
})

test('all networks together have at most 5,000 pending authorization requests', async () => {
  const clientId = await deps.registered()
  await sql()`
    insert into oauth_records (kind, id_hash, payload, expires_at)
    select 'Interaction', 'filler ' || number, '', now() + interval '10 minutes'
    from generate_series(1, 5000 - (select count(*) from oauth_records where kind = 'Interaction')) number`
  expect((await authorize(clientId, '198.51.100.1')).status).toBe(429)
  await sql()`delete from oauth_records where id_hash = 'filler 1'`
  expect((await authorize(clientId, '198.51.100.1')).status).toBe(303)
  expect(await countOf('Interaction')).toBe(5_000)
  await sql()`delete from oauth_records where id_hash like 'filler %'`
})

test('the newest 10,000 unused clients are kept, and all clients in use', async () => {
  const provider = await deps.connect()
  await sql()`
    update oauth_records set created_at = created_at - interval '1 day', expires_at = expires_at - interval '1 day'
    where kind = 'Client'`
  await sql()`
    insert into oauth_records (kind, id_hash, payload, created_at, expires_at)
    select 'Client', 'filler ' || number, '', now() - number * interval '1 second',
      now() - number * interval '1 second' + interval '30 days'
    from generate_series(1, 10020) number`
  await new OAuthRecords(deps.server.server.services).sweep()
  const kept = await sql()<{ id_hash: string }[]>`
    select id_hash from oauth_records where kind = 'Client' and id_hash like 'filler %'`
  expect(kept).toHaveLength(10_000)
  expect(kept.map(({ id_hash }) => id_hash)).toContain('filler 1')
  expect(await countOf('Client')).toBe(10_001)
  const tokens = await deps.refresh(deps.clientIdOf(provider), provider.kept?.refresh_token ?? '')
  expect(tokens.status).toBe(200)
})
