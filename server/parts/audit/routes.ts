import Type, { type Static } from 'typebox'
import { and, desc, eq, gte, lt } from '#database/drizzle.ts'
import { auditEntries } from '#database/schema/audit.ts'
import type { Scope } from '#platform/access/scope.ts'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import {
  CreatedAt,
  described,
  idOf,
  Nullable,
  ObjectId,
  OrganizationId,
  OrgId,
  PageOf,
  PageQuery,
  Timestamp,
  Uuid,
} from '#platform/http/schemas.ts'

const Values = Nullable(Type.Record(Type.String(), Type.Unknown()))

const AuditEntryView = Type.Object(
  {
    id: ObjectId,
    organization_id: OrganizationId,
    actor_id: idOf('the user who made the change'),
    api_key_id: Nullable(idOf('the API key; null if a session was used')),
    action: Type.String({ description: 'Record type and verb, such as `role.updated`.' }),
    record_type: Type.String({ description: 'Type of the changed record.' }),
    record_id: Type.String({ description: 'ID of the changed record.' }),
    before: described(Values, 'Record before the change, without secrets; null if it was created.'),
    after: described(Values, 'Record after the change, without secrets; null if it was deleted.'),
    ip_address: Type.String({ description: 'IP address of the client.' }),
    request_id: idOf('the request'),
    created_at: CreatedAt,
  },
  { title: 'AuditEntry' },
)
type AuditEntryView = Static<typeof AuditEntryView>

const AuditQuery = Type.Object({
  org_id: OrgId,
  actor_id: Type.Optional(described(Uuid, 'Filter by the user who made the change.')),
  action: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Filter by action, such as `role.updated`.' }),
  ),
  record_type: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Filter by type of the record.' }),
  ),
  record_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Filter by ID of the record.' }),
  ),
  from: Type.Optional(described(Timestamp, 'Earliest time, inclusive.')),
  to: Type.Optional(described(Timestamp, 'Latest time, exclusive.')),
  ...PageQuery,
})
type AuditQuery = Static<typeof AuditQuery>

export const auditRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    url: '/api/audit/list',
    summary: 'List audit log entries, newest first',
    description:
      'Covers changes to the organization, its members, roles, invitations, API keys and models, with the record ' +
      'before and after. Secrets are hidden. Entries are append-only. `to` is exclusive.',
    access: { permission: 'organization:admin', orgOf: 'query' },
    query: AuditQuery,
    reply: [200, PageOf(AuditEntryView, 'AuditPage')],
    errors: ['org.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => listAudit(scope, query),
  }),
]

const listAudit = (scope: Scope<'organization:admin'>, query: AuditQuery): Promise<Page<AuditEntryView>> =>
  readPage(
    query,
    (below, count) =>
      scope.select(auditEntries, {
        where: and(
          below === undefined ? undefined : lt(auditEntries.id, below),
          query.actor_id === undefined ? undefined : eq(auditEntries.actorId, query.actor_id),
          query.action === undefined ? undefined : eq(auditEntries.action, query.action),
          query.record_type === undefined ? undefined : eq(auditEntries.recordType, query.record_type),
          query.record_id === undefined ? undefined : eq(auditEntries.recordId, query.record_id),
          query.from === undefined ? undefined : gte(auditEntries.createdAt, new Date(query.from)),
          query.to === undefined ? undefined : lt(auditEntries.createdAt, new Date(query.to)),
        ),
        orderBy: [desc(auditEntries.id)],
        limit: count,
      }),
    (row) => ({
      id: row.id,
      organization_id: row.organizationId,
      actor_id: row.actorId,
      api_key_id: row.apiKeyId,
      action: row.action,
      record_type: row.recordType,
      record_id: row.recordId,
      before: row.before,
      after: row.after,
      ip_address: row.ipAddress,
      request_id: row.requestId,
      created_at: row.createdAt.toISOString(),
    }),
  )
