import { LOWEST_ID } from '#database/new-id.ts'
import { type SystemStatements, systemSql } from '#database/system-sql.ts'
import { BatchSize } from '#platform/sweeps/pacer.ts'
import { deleteChats, deleteResponses, deleteUploads, stopCalls } from './delete-rows-system.ts'
import { type ErasureDependencies, eraseOrganization } from './erase-organization-system.ts'

/** Data that the erasure of a deleted account needs. Stored encrypted with the user until the erasure is complete. */
export interface DepartureRecord {
  /** Former email address, to find the user in other organizations' audit logs. */
  email: string
  /** Ids of organizations that are deleted with the account. */
  closed: string[]
  /** Ids of other organizations that the user belonged to or was invited to. */
  organizations: string[]
}

/** Number of audit entries that each statement checks. */
const ENTRIES = { least: 50, most: 2_000 }

/**
 * Erases the data of a deleted account: the organizations that are deleted with the account, and the user's private
 * data in other organizations. An interrupted erasure can be started again.
 */
export async function eraseUser(deps: ErasureDependencies, userId: string): Promise<void> {
  const { mcp, mail, secrets } = deps
  const sql = systemSql(deps.database)
  const [person] = await sql<{ leaving: string }[]>`
    select leaving from users where id = ${userId} and leaving is not null`
  if (!person) return
  const leaving = JSON.parse(secrets.decrypt(person.leaving, userId)) as DepartureRecord
  await stopCalls(sql, sql`user_id = ${userId}`)
  await mcp.endAllAccess({ userId })
  for (const organizationId of leaving.closed) await eraseOrganization(deps, organizationId)
  for (const organizationId of leaving.organizations)
    await eraseInOrganization(deps, { organizationId, userId }, leaving.email)
  await mail.deleteSaved([userId, ...mail.hmacsOf(leaving.email)])
  await sql`delete from users where id = ${userId} and leaving is not null`
}

async function eraseInOrganization(
  deps: ErasureDependencies,
  owner: { organizationId: string; userId: string },
  email: string,
): Promise<void> {
  const { events, memory } = deps
  const sql = systemSql(deps.database)
  const { organizationId, userId } = owner
  await sql`
    delete from webhook_deliveries d using webhook_endpoints e
    where e.organization_id = ${organizationId} and d.endpoint_id = e.id and d.event_type = 'conversation.updated'
      and (d.data ->> 'user_id' = ${userId} or d.data ->> 'conversation_id' in (
        select id::text from conversations where organization_id = ${organizationId} and user_id = ${userId}))`
  await deleteChats(deps, owner)
  await deleteUploads(deps, owner)
  await deleteResponses(deps, owner)
  await sql`delete from instructions where organization_id = ${organizationId} and user_id = ${userId}`
  await memory.clear(owner)
  await events.forget(organizationId, userId)
  await redactAudit(deps, owner, email)
}

/**
 * Removes the user's email and IP addresses from the audit log, and the details of their API keys and MCP
 * connections. The log still shows which user performed each action.
 */
async function redactAudit(
  { database, pacer, signal }: ErasureDependencies,
  { organizationId, userId }: { organizationId: string; userId: string },
  email: string,
): Promise<void> {
  const size = new BatchSize(ENTRIES)
  let after: string | undefined = LOWEST_ID
  const redactPage = (limit: number, starts: () => void): Promise<number> =>
    systemSql(database).begin(async (tx) => {
      starts()
      await tx`select set_config('parley.leaving', ${userId}, true), set_config('parley.address', ${email}, true)`
      const [page] = await tx<{ last: string }[]>`
        with page as (
          select id from audit_entries where organization_id = ${organizationId} and id > ${after as string}
          order by id limit ${limit}),
        redacted as (
          update audit_entries a
          set ip_address = case when a.actor_id = ${userId} then '(removed)' else a.ip_address end,
            before = case when ${isOwn(tx, userId)} then null else without_address(a.before, ${email}) end,
            after = case when ${isOwn(tx, userId)} then null else without_address(a.after, ${email}) end
          from page
          where a.id = page.id and (a.actor_id = ${userId}
            or strpos(lower(concat(a.before, a.after)), ${email}) > 0))
        select id as last from page order by id desc limit 1`
      after = page?.last
      return page ? limit : 0
    })
  while (after !== undefined) await pacer.pace(size, redactPage, signal)
}

const isOwn = (sql: SystemStatements, userId: string) =>
  sql`(a.actor_id = ${userId} and a.record_type in ('api_key', 'mcp_instance'))`
