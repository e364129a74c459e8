import Type from 'typebox'
import { ASSIGN_ERRORS } from '#platform/access/role-rules.ts'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { INVITED, ROLE } from '#platform/http/example-values.ts'
import { confirms, Enum, idOf, OrgId, PageQuery } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import { CAP_ERRORS } from './daily-caps.ts'
import { listInvitations, readInvitation } from './read-invitations.ts'
import {
  BulkResult,
  INVITATION_STATUSES,
  InvitationPage,
  InvitationView,
  NewInvitation,
  NewInvitations,
  SentInvitation,
  ShownInvitation,
} from './schemas.ts'
import {
  checkInviter,
  createInvitation,
  createInvitations,
  resendInvitation,
  revokeInvitation,
} from './send-invitations.ts'
import { showInvitation } from './tokens-system.ts'

const OneInvitation = Type.Object({ invitation_id: idOf('the invitation') })
const EXAMPLE = { email: INVITED.email, role_id: ROLE }
const ONLY_ADMINS = 'Requires role level 80 or above: admins and owners.'

/** Routes that manage invitations. /api/auth/signup_invite accepts an invitation. */
export const invitationRoutes = (services: Services, { database } = services): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/invitations/create',
    summary: 'Invite a person by email',
    description: ONLY_ADMINS,
    access: { permission: 'users:write', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId }),
    body: NewInvitation,
    example: { ...EXAMPLE, message: 'Welcome to the team!' },
    effects: 'database',
    reply: [201, SentInvitation],
    errors: [
      'org.not_found',
      'invitation.level',
      'invitation.exists',
      'user.exists',
      'auth.email_reserved',
      'user.is_member',
      ...CAP_ERRORS,
      ...ASSIGN_ERRORS,
    ],
    handler: ({ scope, body }) => createInvitation(services, scope, body),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/invitations/bulk_create',
    summary: 'Invite several people',
    description:
      'Returns a result per item: a malformed address or the daily limit fails only that item. Requires role level 80 ' +
      'or above: admins and owners.',
    access: { permission: 'users:write', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId }),
    body: NewInvitations,
    example: { invitations: [EXAMPLE], message: 'Welcome to the team!' },
    effects: 'database',
    reply: [201, BulkResult],
    errors: ['org.not_found', 'invitation.level'],
    handler: ({ scope, body }) => createInvitations(services, scope, body),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/invitations/list',
    summary: "List an organization's invitations",
    description: ONLY_ADMINS,
    access: { permission: 'users:write', orgOf: 'query' },
    query: Type.Object({
      org_id: OrgId,
      status: Type.Optional(Enum(INVITATION_STATUSES, { description: 'Filter by status.' })),
      ...PageQuery,
    }),
    reply: [200, InvitationPage],
    errors: ['org.not_found', 'invitation.level', 'request.invalid_cursor'],
    async handler({ scope, query }) {
      checkInviter(scope)
      return listInvitations(scope, query)
    },
  }),
  defineRoute({
    method: 'GET',
    url: '/api/invitations/get',
    summary: 'Read an invitation',
    description: ONLY_ADMINS,
    access: { permission: 'users:write', orgOf: { invitation: 'invitation_id' } },
    query: OneInvitation,
    reply: [200, InvitationView],
    errors: ['invitation.not_found', 'invitation.level'],
    async handler({ scope, query }) {
      checkInviter(scope)
      return readInvitation(scope.sql, scope.organizationId, query.invitation_id)
    },
  }),
  defineRoute({
    method: 'GET',
    url: '/api/invitations/validate',
    summary: "Check an invitation's token",
    access: 'public',
    query: Type.Object({
      token: Type.String({ minLength: 1, maxLength: 200, description: 'Token from the link in the email.' }),
    }),
    reply: [200, ShownInvitation],
    errors: ['invitation.not_found', 'invitation.gone', 'invitation.role_gone', 'invitation.sender_gone'],
    handler: ({ query }) => showInvitation(database, query.token),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/invitations/resend',
    summary: 'Resend an invitation with a new link',
    description:
      'The new link is valid for seven days. The previous link stops working. Requires role level 80 or above: admins ' +
      'and owners.',
    access: { permission: 'users:write', orgOf: { invitation: 'invitation_id' } },
    query: OneInvitation,
    effects: 'database',
    reply: [200, SentInvitation],
    errors: [
      'invitation.not_found',
      'invitation.not_pending',
      'invitation.exists',
      'invitation.level',
      ...CAP_ERRORS,
      ...ASSIGN_ERRORS,
    ],
    handler: ({ scope, query }) => resendInvitation(services, scope, query.invitation_id),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/invitations/revoke',
    summary: 'Revoke a pending invitation',
    description: ONLY_ADMINS,
    access: { permission: 'users:write', orgOf: { invitation: 'invitation_id' } },
    query: OneInvitation,
    effects: 'database',
    allowedWhileSuspended: true,
    reply: confirms('Invitation revoked'),
    errors: ['invitation.not_found', 'invitation.not_pending', 'invitation.level'],
    async handler({ scope, query }) {
      await revokeInvitation(scope, query.invitation_id)
    },
  }),
]
