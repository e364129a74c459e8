import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { listEntries } from './list-entries.ts'
import { AuditPage, AuditQuery } from './schemas.ts'

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
    reply: [200, AuditPage],
    errors: ['org.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => listEntries(scope, query),
  }),
]
