import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillOrganization, fillPersonal } from '#tests/support/belongings.ts'
import { type ErasureStage, GONE, newMark, openErasureStage } from '#tests/support/erasure-stage.ts'
import { mailTo } from '#tests/support/mail.ts'
import { needs } from '#tests/support/programs.ts'
import { startTestServer } from '#tests/support/server.ts'
import { administratorToken } from '#tests/support/tenants.ts'

/** A deleted organization leaves nothing in the database, storage, Redis and recorded mail. */

let stage: ErasureStage
let server: ErasureStage['server']
beforeAll(async () => {
  stage = await openErasureStage()
  server = stage.server
})
afterAll(() => stage.close())

const onPostgres = { ...needs('PostgreSQL'), timeout: 90_000 }

/** Returns the distinct tables, folders and key prefixes with traces. */
const kindsOf = (found: string[]): string[] => [
  ...new Set(
    found.map(
      (one) => /^[\w.]+(?=:)/.exec(one)?.[0] ?? (one.startsWith('/') ? 'file' : (one.split(':')[1] ?? '')),
    ),
  ),
]

describe('a deleted organization', () => {
  test('leaves no trace in any store or at its providers', async () => {
    const mark = newMark()
    const owner = await stage.newOrganization(await server.signUp(), `${mark}organization`)
    await fillPersonal(server, owner, mark, stage.provider)
    await fillOrganization(server, owner, mark)
    await mailTo(server, `${mark}new@example.com`, 'created a Parley account')
    await expect
      .poll(() => stage.traces(`${mark}question`).then(kindsOf), GONE)
      .toContain('public.chat_words')
    expect(kindsOf(await stage.traces(mark))).toEqual(expect.arrayContaining(['public.kb_chunks', 'file']))
    const { revocations } = stage.provider.counts

    const deleted = await server.call('DELETE', `/api/org/delete?org_id=${owner.organizationId}`, {
      token: owner.token,
    })
    expect([deleted.status, deleted.text]).toEqual([200, '{"message":"Organization deleted"}'])
    const again = await server.call('GET', `/api/org/features?org_id=${owner.organizationId}`, {
      token: owner.token,
    })
    expect(again.status).toBe(404)
    await expect.poll(() => stage.traces(mark), GONE).toEqual([])
    expect(await stage.traces(owner.organizationId)).toEqual([])
    expect(stage.provider.counts.revocations).toBeGreaterThan(revocations)
  }, 90_000)

  // The lock would block the only connection of the embedded database.
  test('is inaccessible immediately, even while its erasure continues', onPostgres, async () => {
    const owner = await stage.newOrganization(await server.signUp(), newMark())
    const { agentId } = await fillOrganization(server, owner, newMark())
    const { sql } = server.server.services.database
    const [deployment] = await sql<{ id: string }[]>`
      select id from agent_deployments where organization_id = ${owner.organizationId}`
    const key = await server.call(
      'POST',
      `/api/agent_deploy/regenerate_key?deployment_id=${deployment?.id}`,
      { token: owner.token },
    )
    // Every continued erasure waits for this lock.
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended(${owner.organizationId}, 0))`
      const deletion = server.call('DELETE', `/api/org/delete?org_id=${owner.organizationId}`, {
        token: owner.token,
      })
      await expect
        .poll(
          async () =>
            (await server.call('GET', `/api/agents/get?agent_id=${agentId}`, { token: owner.token })).status,
        )
        .toBe(404)
      const talk = await server.call('POST', '/api/agent_deploy/chat', {
        headers: { 'x-api-key': key.body.api_key },
        body: { content: 'Hi' },
      })
      expect(talk.status).toBe(401)
      const features = await server.call('PUT', `/api/org/features?org_id=${owner.organizationId}`, {
        token: await administratorToken(server),
        body: {},
      })
      expect(features.status).toBe(404)
      expect((await deletion).status).toBe(200)
    })
    await expect.poll(() => stage.traces(owner.organizationId), GONE).toEqual([])
  })

  // The embedded database supports only one process.
  test('is erased by another process if the first one died', onPostgres, async () => {
    const { sql } = server.server.services.database
    const owner = await stage.newOrganization(await server.signUp(), newMark())
    const { organizationId: id } = owner
    await fillOrganization(server, owner, newMark())
    // The state of an interrupted erasure: the organization is closed, and its chats are deleted.
    await sql`update memberships set status = 'deleted', role_id = null where organization_id = ${id}`
    await sql`update organizations set closed_at = now() where id = ${id}`
    await sql`delete from chats where organization_id = ${id}`
    const other = await startTestServer(server.environment)
    await expect.poll(() => stage.traces(id), GONE).toEqual([])
    await other.server.stop()
  })

  test('cannot be reopened, and its ledger can be deleted only once it is closed', async () => {
    const { sql } = server.server.services.database
    const { organizationId } = await server.signUp()
    const failure = 'are never changed'
    await expect(sql`delete from ledger_entries where organization_id = ${organizationId}`).rejects.toThrow(
      failure,
    )
    const revived = sql.begin(async (tx) => {
      await tx`update organizations set closed_at = now() where id = ${organizationId}`
      const change = (inner: typeof tx) =>
        inner`update ledger_entries set reason = 'x' where organization_id = ${organizationId}`
      await expect(tx.savepoint(change)).rejects.toThrow(failure)
      await tx`delete from ledger_entries where organization_id = ${organizationId}`
      await tx`update organizations set closed_at = null where id = ${organizationId}`
    })
    await expect(revived).rejects.toThrow('do not come back')
  })
})
