import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { PASSWORD } from '#platform/http/example-values.ts'
import { Body, confirms, OrgId } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import { closeForOwner } from './close-organization-system.ts'
import { closeAccount } from './delete-account-system.ts'
import type { Eraser } from './eraser-system.ts'

const Confirmation = Body({
  current_password: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: 'Current password. Required if you have one.' }),
  ),
})

export const deletionRoutes = (services: Services, eraser: Eraser, { database } = services): Route[] => [
  defineRoute({
    method: 'DELETE',
    url: '/api/org/delete',
    summary: 'Delete an organization and its contents',
    description:
      'Irreversible. Access ends immediately; the contents are erased and MCP access is revoked afterwards, ' +
      'which can take minutes. A personal organization cannot be deleted.',
    access: { permission: 'organization:delete', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId }),
    effects: 'outside',
    allowedWhileSuspended: true,
    reply: confirms('Organization deleted'),
    errors: ['org.not_found', 'org.personal', 'access.session_needed'],
    async handler({ scope }) {
      await closeForOwner(database, services.jobs, scope)
      await eraser.erase({ organizationId: scope.organizationId })
    },
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/users/me',
    summary: 'Delete your account',
    description:
      'Irreversible. Deletes your chats, files, instructions, connections and keys, and the organizations that ' +
      'have no other member. Other organizations keep the records that you created there. Their audit logs and ledgers ' +
      'keep your actions, without your name and addresses. Requires your password or, if you have none, a sign-in of ' +
      'the last ten minutes.',
    access: 'session',
    body: Confirmation,
    example: { current_password: PASSWORD },
    effects: 'outside',
    reply: confirms('Account deleted'),
    errors: [
      'user.wrong_password',
      'user.sign_in_again',
      'user.owns_organizations',
      'user.last_administrator',
      'auth.too_many_attempts',
    ],
    async handler({ caller, body }) {
      await closeAccount(services, caller, body.current_password)
      await eraser.erase({ userId: caller.userId })
    },
  }),
]
