import { olderThan } from '#database/keyset.ts'
import type { Fragment, TenantStatements } from '#database/tenant-sql.ts'
import type { Scope } from '#platform/access/scope.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import type { AuditEntryView, AuditQuery } from './schemas.ts'

/** Returns the entries that match all filters, newest first, with the names of people and records. */
export function listEntries(
  { sql, organizationId }: Scope<'organization:admin'>,
  query: AuditQuery,
): Promise<Page<AuditEntryView>> {
  const { actor_id: actorId, action, record_type: recordType, record_id: recordId, from, to } = query
  return readPage(
    query,
    (below, count) => sql<AuditEntryView[]>`
      select e.id, e.organization_id, e.actor_id, e.api_key_id, e.action, e.record_type, e.record_id, e.before, e.after,
        e.ip_address, e.request_id, e.created_at,
        ${personNamed(sql, organizationId, sql`e.actor_id`)} as actor_name,
        coalesce(${nameIn(sql, sql`e.after`, sql`e.before`)}, ${recordNow(sql, organizationId)},
          ${nameInLog(sql, organizationId, sql`desc`)}, ${nameInLog(sql, organizationId, sql`asc`)}) as record_name
      from audit_entries e
      where e.organization_id = ${organizationId} and ${olderThan(sql, 'e.id', below)}
        ${actorId === undefined ? sql`` : sql`and e.actor_id = ${actorId}`}
        ${action === undefined ? sql`` : sql`and e.action = ${action}`}
        ${recordType === undefined ? sql`` : sql`and e.record_type = ${recordType}`}
        ${recordId === undefined ? sql`` : sql`and e.record_id = ${recordId}`}
        ${from === undefined ? sql`` : sql`and e.created_at >= ${from}`}
        ${to === undefined ? sql`` : sql`and e.created_at < ${to}`}
      order by e.id desc limit ${count}`,
    ({ created_at, ...row }) => ({ ...row, created_at: new Date(created_at).toISOString() }),
  )
}

/** SQL for the name of a member, or the email address if there is none. Null until the member opens the organization. */
const personNamed = (sql: TenantStatements, organizationId: string, id: Fragment) => sql`(
  select coalesce(nullif(trim(u.first_name || ' ' || u.last_name), ''), u.email)
  from memberships m join users u on u.id = m.user_id
  where m.organization_id = ${organizationId} and m.user_id = ${id} and m.opened_at is not null)`

const keyNamed = (sql: TenantStatements, organizationId: string, id: Fragment) => sql`(
  select k.name from api_keys k where k.organization_id = ${organizationId} and k.id = ${id})`

/** SQL for the name of a model of the organization or of the environment. */
const modelNamed = (sql: TenantStatements, organizationId: string, id: Fragment) => sql`(
  select l.name from llm_models l
  where (l.organization_id = ${organizationId} or l.organization_id is null) and l.id = ${id})`

/** SQL for the current name of the entry's record. A source is named after its knowledge base, a budget or limit after its subject. */
const recordNow = (sql: TenantStatements, organizationId: string) => {
  const id = sql`e.record_id::uuid`
  /** A field that the entry may have recorded, for records that are deleted. */
  const recorded = (field: string) => sql`coalesce(e.after ->> ${field}, e.before ->> ${field})::uuid`
  /** The subject of a budget or a limit: a member, an API key or a model. */
  const subject = (now: Fragment) => sql`(
    select coalesce(${personNamed(sql, organizationId, sql`of.user_id`)},
      ${keyNamed(sql, organizationId, sql`of.api_key_id`)}, ${modelNamed(sql, organizationId, sql`of.model_id`)})
    from (
      select coalesce(${recorded('user_id')}, now.user_id) as user_id,
        coalesce(${recorded('api_key_id')}, now.api_key_id) as api_key_id,
        coalesce(${recorded('model_id')}, now.model_id) as model_id
      from (select) as entry left join (${now}) as now on true) as of)`
  const budget = sql`
    select user_id, api_key_id, null::uuid as model_id from budgets b
    where b.organization_id = ${organizationId} and b.id = ${id}`
  const limit = sql`
    select user_id, api_key_id, model_id from minute_limits l where l.organization_id = ${organizationId} and l.id = ${id}`
  return sql`case e.record_type
    when 'member' then ${personNamed(sql, organizationId, id)}
    when 'budget' then ${subject(budget)}
    when 'limit' then ${subject(limit)}
    when 'api_key' then ${keyNamed(sql, organizationId, id)}
    when 'organization' then (select o.name from organizations o where o.id = ${organizationId})
    when 'role' then (select r.name from roles r where r.organization_id = ${organizationId} and r.id = ${id})
    when 'model' then ${modelNamed(sql, organizationId, id)}
    when 'agent' then (select a.name from agents a where a.organization_id = ${organizationId} and a.id = ${id})
    when 'deployment' then (
      select d.name from agent_deployments d where d.organization_id = ${organizationId} and d.id = ${id})
    when 'tool' then (select t.name from tools t where t.organization_id = ${organizationId} and t.id = ${id})
    when 'tool_category' then (
      select c.name from tool_categories c where c.organization_id = ${organizationId} and c.id = ${id})
    when 'webhook' then (
      select w.url from webhook_endpoints w where w.organization_id = ${organizationId} and w.id = ${id})
    when 'knowledge_base' then (
      select k.name from knowledge_bases k where k.organization_id = ${organizationId} and k.id = ${id})
    when 'kb_source' then (
      select k.name from knowledge_bases k where k.organization_id = ${organizationId}
        and k.id = coalesce(${recorded('kb_id')},
          (select s.kb_id from kb_sources s where s.organization_id = ${organizationId} and s.id = ${id})))
    end`
}

/** SQL for the name in one of two recorded states of a record. Invitations have an address, webhooks a URL. */
const nameIn = (sql: TenantStatements, newer: Fragment, older: Fragment) => sql`
  coalesce(${newer} ->> 'name', ${older} ->> 'name', ${newer} ->> 'email', ${older} ->> 'email', ${newer} ->> 'url',
    ${older} ->> 'url')`

/** SQL for the name in the record's newest or oldest entry, which has all fields if it records a deletion or creation. */
const nameInLog = (sql: TenantStatements, organizationId: string, direction: Fragment) => sql`(
  select ${nameIn(sql, sql`n.after`, sql`n.before`)} from audit_entries n
  where n.organization_id = ${organizationId} and n.record_id = e.record_id order by n.id ${direction} limit 1)`
