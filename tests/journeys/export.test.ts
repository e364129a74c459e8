import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillOrganization, fillPersonal } from '#tests/support/belongings.ts'
import type { Person } from '#tests/support/client.ts'
import { type AuthorizedMcpServer, startAuthorizedMcpServer } from '#tests/support/mcp/authorized-server.ts'
import { readZip } from '#tests/support/read-zip.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole } from '#tests/support/tenants.ts'

/** The zip export of an organization or a person (docs/export.md). */

let server: TestServer
let provider: AuthorizedMcpServer
let owner: Person
let member: Person
beforeAll(async () => {
  provider = await startAuthorizedMcpServer()
  server = await startTestServer()
  owner = await server.signUp()
  await fillPersonal(server, owner, 'owners', provider)
  await fillOrganization(server, owner, 'ours')
  const somebody = await server.signUp()
  await addMemberWithRole(server.server.services.database.sql, owner.organizationId, somebody.userId, 'admin')
  member = { ...somebody, organizationId: owner.organizationId }
  await fillPersonal(server, member, 'theirs', provider)
  await server.server.services.database.sql`
    update memberships m set role_id = r.id from roles r
    where m.user_id = ${member.userId} and m.organization_id = ${owner.organizationId}
      and r.organization_id = m.organization_id and r.name = 'member'`
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const ask = (path: string, { token }: Person): Promise<Response> =>
  fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } })

const ofOrganization = () => `/api/org/export?org_id=${owner.organizationId}`

/** Returns an export as its files, with parsed JSON Lines. */
async function taken(path: string, person: Person) {
  const answer = await ask(path, person)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip'])
  const entries = await readZip(Buffer.from(await answer.arrayBuffer()))
  const manifest = JSON.parse(String(entries.get('manifest.json')))
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and fail if one is missing
  const rows = (name: string): any[] =>
    String(entries.get(`${name}.jsonl`))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  const text = [...entries].map(([name, bytes]) => `${name}\n${bytes}`).join('\n')
  return { answer, entries, manifest, rows, text }
}

test("an organization's export has all its data, with the chats of all members and the files' bytes", async () => {
  const { answer, entries, manifest, rows, text } = await taken(ofOrganization(), owner)
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment; .*\.zip$/)
  expect(manifest).toMatchObject({
    format: 'parley-export',
    version: 1,
    organization: { id: owner.organizationId, is_personal: true },
    missing_files: [],
  })
  for (const [name, count] of Object.entries(manifest.counts))
    expect([name, rows(name).length]).toEqual([name, count])
  expect(manifest.counts).toMatchObject({
    members: 3,
    instructions: 2,
    conversations: 2,
    files: 5,
    deployments: 1,
  })
  for (const said of ['question', 'title', 'file.txt', 'way', 'brief', 'conversation', 'connection'])
    for (const who of ['owners', 'theirs']) expect(text).toContain(who + said)
  for (const said of [
    'model',
    'hint',
    'code',
    'tool',
    'category',
    'kb',
    'source',
    'text',
    'chapter',
    'agent',
    'prompt',
  ])
    expect(text).toContain(`ours${said}`)
  for (const said of ['deployment', 'visitor', 'role', 'guest', 'message', 'hook'])
    expect(text).toContain(`ours${said}`)
  expect(rows('messages')[0].created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  for (const { id, size } of rows('files')) expect(entries.get(`files/${id}`)?.length).toBe(size)
  const { data } = (
    await server.call('GET', `/api/audit/list?org_id=${owner.organizationId}&limit=100`, {
      token: owner.token,
    })
  ).body
  expect(data.map(({ action }: { action: string }) => action)).toContain('organization.exported')
})

test('an export contains no key, secret, token or hash', async () => {
  const { text } = await taken(ofOrganization(), owner)
  const { sql } = server.server.services.database
  expect(text).not.toContain('ourssecret')
  const hashes = await sql<{ hash: string }[]>`
    select key_hash as hash from api_keys union all select key_hash from agent_deployments
    union all select token_hash from invitations union all select password_hash from users where password_hash is not null
    union all select secret from webhook_endpoints union all select config from agent_tools
    union all select credentials from mcp_instances where credentials is not null`
  expect(hashes.length).toBeGreaterThan(5)
  for (const { hash } of hashes) expect(text.includes(hash) && hash !== 'sealed').toBe(false)
})

test('a person exports only their own data, from all organizations', async () => {
  const { manifest, rows, text } = await taken('/api/users/me/export', member)
  expect(manifest.user).toMatchObject({ id: member.userId, email: member.email })
  expect(text).toContain('theirsquestion')
  expect(text).toContain('theirsbytes')
  expect(text).not.toContain('owners')
  expect(text).not.toContain('ours')
  expect(rows('members')).toHaveLength(2)
})

test('members and strangers cannot export an organization', async () => {
  expect((await ask(ofOrganization(), member)).status).toBe(403)
  expect((await ask(ofOrganization(), await server.signUp())).status).toBe(404)
})

test('a client that disconnects stops the export, and the server keeps running', async () => {
  const { sql } = server.server.services.database
  await sql`
    insert into chats (id, organization_id, user_id, title, status)
    select gen_random_uuid(), ${owner.organizationId}, ${owner.userId}, md5(n::text) || repeat(md5(n::text), 30), 'ACTIVE'
    from generate_series(1, 20000) as n`
  const answer = await ask(ofOrganization(), owner)
  const reader = answer.body?.getReader()
  await reader?.read()
  await reader?.cancel()
  const busy = () => sql`
    select from pg_stat_activity where query like '%from chats t%' and state = 'active' and pid <> pg_backend_pid()`
  await expect.poll(async () => (await busy()).count).toBe(0)
  expect((await server.call('GET', '/api/users/me', { token: owner.token })).status).toBe(200)
})
