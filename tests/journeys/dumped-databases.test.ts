import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { balanceOf } from '#tests/support/chats.ts'
import { readSession } from '#tests/support/deployments.ts'
import {
  DUMPS,
  forgetCodes,
  readAnswers,
  readFacts,
  signIn,
  startRestored,
} from '#tests/support/dumped-database.ts'
import { expectSoundLedger } from '#tests/support/ledger-invariants.ts'
import { needs } from '#tests/support/programs.ts'
import { readAccount } from '#tests/support/read-accounts.ts'
import { readZip } from '#tests/support/read-zip.ts'
import { createDatabase, type TestServer } from '#tests/support/server.ts'

/** Databases of older versions, which migrations bring up to date (docs/testing.md). */

describe.each(readdirSync(DUMPS))('the database %s', needs('PostgreSQL'), (name) => {
  const folder = join(DUMPS, name)
  const facts = readFacts(folder)
  const recorded = readAnswers(folder)
  let database: Awaited<ReturnType<typeof createDatabase>>
  let server: TestServer
  /** The owner's token. */
  let token: string
  let organizations: { id: string; name: string }[]

  beforeAll(async () => {
    database = await createDatabase({ isEmpty: true })
    server = await startRestored(folder, database?.url ?? '')
    await forgetCodes(server)
    token = await signIn(server, facts.people['marta'] as (typeof facts.people)[string])
    organizations = (await server.call('GET', '/api/org/list', { token })).body.data
  })
  afterAll(async () => {
    await server.stop()
    await database?.drop()
  })

  const shopId = (): string => organizations.find((one) => one.name === 'Lighthouse Books')?.id ?? ''

  test.each(Object.entries(facts.people))('%s can read everything as before', async (who, person) => {
    const answers = await readAccount(server, await signIn(server, person), facts.dumpedAt)
    expect(answers).toMatchObject(recorded[who] ?? {})
    const failed = Object.entries(answers).filter(([, { status }]) => status >= 500)
    expect(failed).toEqual([])
  })

  test('the recording has a successful read of every operation by the owner', () => {
    const refused = Object.entries(recorded['marta'] ?? {}).filter(([, { status }]) => status !== 200)
    expect([Object.keys(recorded['marta'] ?? {}).length > 100, refused]).toEqual([true, []])
  })

  test('every ledger adds up to the returned balance', async () => {
    const { sql } = server.server.services.database
    const accounts = await sql<{ id: string }[]>`select organization_id as id from credit_accounts`
    expect(accounts.length).toBeGreaterThan(8)
    for (const { id } of accounts) await expectSoundLedger(sql, id)
    const [sum] = await sql`
      select sum(amount)::float8 as balance from ledger_entries where organization_id = ${shopId()}`
    const shown = await balanceOf(server, { token, organizationId: shopId() } as Parameters<
      typeof balanceOf
    >[1])
    expect(shown).toMatchObject({ balance: sum?.['balance'], held: 0 })
  })

  test('the interrupted reply has failed and is not charged', async () => {
    const path = `/api/chat?org_id=${shopId()}&chat_id=${facts.interruptedChatId}`
    const { body } = await server.call('GET', path, { token })
    expect(body.messages.at(-1)).toMatchObject({ role: 'assistant', status: 'error', content: '' })
    const ledger = await server.call('GET', `/api/billing/ledger?org_id=${shopId()}&limit=100`, { token })
    const entries = ledger.body.data.filter(
      (entry: { chat_id: string }) => entry.chat_id === facts.interruptedChatId,
    )
    expect(entries.map(({ kind, amount }: { kind: string; amount: number }) => [kind, amount])).toEqual([
      ['RELEASE', 0],
      ['HOLD', 0],
    ])
  })

  test('a search finds the passage by its words and its vector', async () => {
    const path = `/api/kb/search?kb_id=${facts.kbId}`
    const { status, body } = await server.call('POST', path, {
      token,
      body: { query: 'How long is a gift card good?', limit: 1 },
    })
    expect([status, body.results[0].document_name]).toEqual([200, 'Gift cards'])
  })

  test('an export has every row and the bytes of every file', async () => {
    const response = await fetch(`${server.url}/api/org/export?org_id=${shopId()}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const entries = await readZip(Buffer.from(await response.arrayBuffer()))
    const { missing_files, counts } = JSON.parse(String(entries.get('manifest.json')))
    expect(missing_files).toEqual([])
    expect(counts).toMatchObject({ members: 7, agents: 3, knowledge_bases: 2, deployments: 3, files: 3 })
    const [first] = String(entries.get('files.jsonl')).split('\n')
    expect(String(entries.get(`files/${JSON.parse(first ?? '').id}`))).toContain('Tide Tables')
  })

  test('the key of a deployment opens its session, and an invitation can still be accepted', async () => {
    const { key, sessionId } = facts.deployment
    expect((await readSession(server, key, sessionId)).body).toMatchObject({ id: sessionId })
    const path = `/api/invitations/validate?token=${facts.invitationToken}`
    expect((await server.call('GET', path)).body).toMatchObject({ email: 'agnes@lighthouse.example' })
  })
})
