import Type from 'typebox'
import { ASSIGN_ERRORS } from '#platform/access/role-rules.ts'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { INVITED, ROLE } from '#platform/http/example-values.ts'
import { confirms, described, Email, idOf, OrgId } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import { CAP_ERRORS, revokePending } from '../invitations/index.ts'
import { changeRole, changeStatus } from '../org/index.ts'
import { changeProfile } from './change-profile-system.ts'
import { inviteUser } from './invite-user.ts'
import { listAllUsers } from './list-all-system.ts'
import { findUser, listUsers, readMe, readMember } from './read-users-system.ts'
import {
  AllUsersPage,
  AllUsersQuery,
  FoundUser,
  FoundUserPage,
  InvitedUser,
  ListQuery,
  MemberView,
  NewInvitee,
  ProfileChange,
  RoleChoice,
  SearchQuery,
  StatusChange,
  UserList,
  UserView,
} from './schemas.ts'
import { searchUsers } from './search-users-system.ts'

const OneMember = Type.Object({ org_id: OrgId, user_id: idOf('the member') })

/** Routes of an organization's users and of the caller's own profile. */
export const userRoutes = (services: Services): Route[] => {
  const { database } = services
  return [
    defineRoute({
      method: 'GET',
      url: '/api/users/me',
      summary: 'Get the current user',
      description:
        'Includes the organizations in which the user is an active member. With an API key, only its own ' +
        'organization.',
      access: 'authenticated',
      reply: [200, UserView],
      errors: [],
      handler: ({ caller }) => readMe(database, caller),
    }),
    defineRoute({
      method: 'PUT',
      url: '/api/users/me',
      summary: 'Update your names, language or password',
      description: 'A new password requires the current one and ends all other sessions.',
      access: 'session',
      body: ProfileChange,
      example: { first_name: 'Ada' },
      effects: 'outside',
      current: ({ caller }) => readMe(database, caller),
      reply: [200, UserView],
      errors: ['user.wrong_password', 'auth.too_many_attempts'],
      handler: ({ caller, body }) => changeProfile(services, caller, body),
    }),
    defineRoute({
      method: 'GET',
      url: '/api/users/list',
      summary: 'List members and invitations',
      access: { permission: 'users:read', orgOf: 'query' },
      query: ListQuery,
      reply: [200, UserList],
      errors: ['org.not_found'],
      handler: ({ scope, query }) => listUsers(database, scope, query),
    }),
    defineRoute({
      method: 'GET',
      url: '/api/users/list_all',
      summary: 'List the users of the installation, newest first',
      description: 'Includes organizations and usage. Only the system administrator can call this.',
      access: 'system',
      query: AllUsersQuery,
      reply: [200, AllUsersPage],
      errors: ['request.invalid_cursor'],
      handler: ({ query }) => listAllUsers(database, query),
    }),
    defineRoute({
      method: 'GET',
      url: '/api/users/search',
      summary: 'Search for people to add, by name or email address',
      description: 'Finds only people who share an organization with you and are not members yet.',
      access: { permission: 'users:write', orgOf: 'query' },
      query: SearchQuery,
      reply: [200, FoundUserPage],
      errors: ['org.not_found', 'request.invalid_cursor'],
      handler: ({ scope, query }) => searchUsers(database, scope, query),
    }),
    defineRoute({
      method: 'GET',
      url: '/api/users/find',
      summary: 'Find a person by email address, to add them',
      description: 'Finds only people who share an organization with you.',
      access: { permission: 'users:write', orgOf: 'query' },
      query: Type.Object({ org_id: OrgId, email: described(Email, 'Email address to look up.') }),
      reply: [200, FoundUser],
      errors: ['org.not_found', 'user.not_found'],
      handler: ({ scope, query }) => findUser(database, scope, query.email),
    }),
    defineRoute({
      method: 'POST',
      url: '/api/users/invite',
      summary: 'Create an account and invite the user to the organization',
      description:
        'Sends an email with a sign-in link that is valid for seven days. Requires admin or owner.',
      access: { permission: 'users:write', orgOf: 'query' },
      query: Type.Object({ org_id: OrgId }),
      body: NewInvitee,
      example: { ...INVITED, role: ROLE },
      effects: 'database',
      reply: [201, InvitedUser],
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
      handler: ({ scope, body }) => inviteUser(services, scope, body),
    }),
    defineRoute({
      method: 'PUT',
      url: '/api/users/update',
      summary: "Change a member's role",
      description: 'Requires owner. Applies from the next request on.',
      access: { permission: 'users:write', orgOf: 'query' },
      query: OneMember,
      body: RoleChoice,
      example: { role_id: ROLE },
      effects: 'database',
      current: ({ scope, query }) => readMember(database, scope, query.user_id),
      reply: [200, MemberView],
      errors: [
        'org.not_found',
        'org.last_owner',
        'user.not_found',
        'user.not_owner',
        ...ASSIGN_ERRORS,
        'user.same_role',
        'user.not_active',
      ],
      async handler({ scope, query, body }) {
        await changeRole(scope, query.user_id, body.role_id)
        return readMember(database, scope, query.user_id)
      },
    }),
    defineRoute({
      method: 'PUT',
      url: '/api/users/update_status',
      summary: 'Suspend or reactivate a member',
      description: 'A suspended member loses access from the next request on.',
      access: { permission: 'users:admin', orgOf: 'query' },
      query: OneMember,
      body: StatusChange,
      example: { status: 'active' },
      effects: 'database',
      current: ({ scope, query }) => readMember(database, scope, query.user_id),
      reply: [200, MemberView],
      errors: [
        'org.not_found',
        'org.last_owner',
        'role.too_high',
        'user.not_found',
        'user.self',
        'user.status_move',
      ],
      async handler({ scope, query, body }) {
        await changeStatus(scope, query.user_id, body.status)
        return readMember(database, scope, query.user_id)
      },
    }),
    defineRoute({
      method: 'DELETE',
      url: '/api/users/remove',
      summary: 'Remove a member',
      description:
        "Also deletes the member's API keys and pending invitation. Keeps the records that the member created.",
      access: { permission: 'users:admin', orgOf: 'query' },
      query: OneMember,
      effects: 'database',
      allowedWhileSuspended: true,
      reply: confirms('Member removed'),
      errors: ['org.not_found', 'org.last_owner', 'role.too_high', 'user.not_found', 'user.self'],
      async handler({ scope, query }) {
        await changeStatus(scope, query.user_id, 'deleted', (tx, { email }) =>
          revokePending(tx, scope.organizationId, email),
        )
      },
    }),
  ]
}
