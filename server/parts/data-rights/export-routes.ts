import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { OrgId } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import { exportOrganization, exportPerson } from './export-subjects-system.ts'
import type { Exports } from './exports.ts'

const ZIP = { stream: 'application/zip' } as const

export const exportRoutes = (services: Services, exports: Exports): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/api/org/export',
    summary: 'Export an organization',
    description:
      'A ZIP archive of JSON Lines and files, without keys and other secrets. It contains the chats of all ' +
      'members and is recorded in the audit log. A truncated export has no manifest.json.',
    access: { permission: 'organization:admin', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId }),
    reply: ZIP,
    errors: ['org.not_found', 'export.under_way', 'export.busy'],
    handler: ({ scope }) => exports.open(scope.userId, () => exportOrganization(services, scope)),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/users/me/export',
    summary: 'Export your personal data',
    description:
      'A ZIP archive of JSON Lines and files: your memberships, chats, files, instructions and the names of your ' +
      'connections, from all current and former organizations.',
    access: 'session',
    reply: ZIP,
    errors: ['export.under_way', 'export.busy'],
    handler: ({ caller }) => exports.open(caller.userId, () => exportPerson(services, caller)),
  }),
]
