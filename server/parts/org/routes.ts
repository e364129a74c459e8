import Type from 'typebox'
import { ASSIGN_ERRORS } from '#platform/access/role-rules.ts'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { COLLEAGUE, EMAILED_TOKEN, ORGANIZATION, ROLE } from '#platform/http/example-values.ts'
import { confirms, OrgId, PageQuery } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import { readFeaturesInUse } from './features-in-use-system.ts'
import { leaveByLink, leaveOrganization, showLeaveLink } from './leave-system.ts'
import { listAllOrganizations } from './list-all-system.ts'
import { addMember, transferOwnership } from './members.ts'
import { changeOrganization } from './organizations.ts'
import {
  addOrganization,
  changeFeatures,
  listOrganizations,
  readOrganization,
} from './organizations-system.ts'
import {
  AllOrganizationsPage,
  AllOrganizationsQuery,
  FeaturesChange,
  FeaturesInUse,
  FeaturesView,
  LeaveLink,
  LeaveLinkView,
  NewMember,
  NewOrganization,
  NewOwner,
  NewSuspension,
  OrganizationChange,
  OrganizationPage,
  OrganizationView,
} from './schemas.ts'
import { liftSuspension, suspendOrganization } from './suspend-system.ts'

const InOrganization = Type.Object({ org_id: OrgId })

/** Routes of organizations and their members. */
export const orgRoutes = (services: Services, { database } = services): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/api/org/list',
    summary: "List the caller's organizations",
    access: 'authenticated',
    query: Type.Object(PageQuery),
    reply: [200, OrganizationPage],
    errors: ['request.invalid_cursor'],
    handler: ({ caller, query }) => listOrganizations(database, caller, query),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/org/list_all',
    summary: 'List the organizations of the installation, newest first',
    description: 'Includes limits and usage. Only the system administrator can call this.',
    access: 'system',
    query: AllOrganizationsQuery,
    reply: [200, AllOrganizationsPage],
    errors: ['request.invalid_cursor'],
    handler: ({ query }) => listAllOrganizations(database, query),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/org/create_org',
    summary: 'Create an organization',
    description:
      'The caller becomes the owner. Names are unique, ignoring case. The organization starts without credits; ' +
      "`credits` moves that many from the caller's personal organization.",
    access: 'session',
    query: NewOrganization,
    effects: 'database',
    reply: [201, OrganizationView],
    errors: ['org.name_taken', 'billing.transfer_too_large', 'access.organization_suspended'],
    handler: ({ caller, query }) => addOrganization(database, caller, query),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/org/update',
    summary: 'Change the settings of an organization',
    description:
      'Where a second factor is required, sessions without one get 403 `access.second_factor_required`. API keys and keys ' +
      'of deployments are not affected. An owner needs a factor of their own to require one.',
    access: { permission: 'organization:write', orgOf: 'query' },
    query: InOrganization,
    body: OrganizationChange,
    example: { name: 'Fernhill Coffee' },
    effects: 'database',
    current: ({ scope }) => readOrganization(database, scope.userId, scope.organizationId),
    reply: [200, OrganizationView],
    errors: [
      'org.not_found',
      'org.name_taken',
      'org.owner_needed',
      'org.factor_needed',
      'access.session_needed',
    ],
    handler: ({ scope, body }) => changeOrganization(database, scope, body),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/org/add_member',
    summary: 'Add an existing user to an organization',
    description:
      'Requires the team_members feature. Parley emails the user a link to leave. Until they open the ' +
      'organization, only members who share another organization with them see their name and email address.',
    access: { permission: 'users:write', orgOf: 'body' },
    body: NewMember,
    example: { organization_id: ORGANIZATION, user_id: COLLEAGUE, role_id: ROLE },
    effects: 'database',
    reply: confirms('Member added', 201),
    errors: ['org.not_found', 'org.feature_off', ...ASSIGN_ERRORS, 'user.not_found', 'user.is_member'],
    async handler({ scope, body }) {
      await addMember(services, scope, body)
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/org/leave',
    summary: 'Leave an organization',
    access: 'session',
    query: InOrganization,
    effects: 'database',
    reply: confirms('You have left the organization'),
    errors: ['org.not_found', 'org.personal', 'org.last_owner'],
    async handler({ caller, query }) {
      await leaveOrganization(database, caller, query.org_id)
    },
  }),
  defineRoute({
    method: 'GET',
    url: '/api/org/get_leave_link',
    summary: 'Get the organization of a leave link',
    access: 'public',
    query: LeaveLink,
    reply: [200, LeaveLinkView],
    errors: ['auth.link_gone'],
    handler: ({ query }) => showLeaveLink(database, query.token),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/org/leave_by_link',
    summary: 'Leave an organization with the emailed link',
    access: 'public',
    body: LeaveLink,
    example: { token: EMAILED_TOKEN },
    effects: 'database',
    reply: confirms('You have left the organization'),
    errors: ['auth.link_gone', 'org.not_found', 'org.last_owner', 'org.personal'],
    async handler({ client, body }) {
      await leaveByLink(database, client, body.token)
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/org/transfer_ownership',
    summary: 'Transfer ownership to another member',
    description: 'Only the owner can call this. They become an admin.',
    access: { permission: 'organization:admin', orgOf: 'query' },
    query: InOrganization,
    body: NewOwner,
    example: { user_id: COLLEAGUE },
    effects: 'database',
    reply: confirms('Ownership transferred'),
    errors: [
      'org.not_found',
      'org.owner_needed',
      'org.personal',
      'access.session_needed',
      'user.not_found',
      'user.not_active',
      'user.same_role',
    ],
    async handler({ scope, body }) {
      await transferOwnership(scope, body.user_id)
    },
  }),
  defineRoute({
    method: 'GET',
    url: '/api/org/features',
    summary: "Get an organization's limits and usage",
    access: { permission: 'organization:read', orgOf: 'query', orSystem: true },
    query: InOrganization,
    reply: [200, FeaturesInUse],
    errors: ['org.not_found'],
    handler: ({ query }) => readFeaturesInUse(database, query.org_id),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/org/features',
    summary: "Set an organization's limits",
    access: 'system',
    query: InOrganization,
    body: FeaturesChange,
    example: { daily_chat_limit: 500 },
    effects: 'database',
    reply: [200, FeaturesView],
    errors: ['org.not_found'],
    handler: ({ caller, query, body }) => changeFeatures(database, caller, query.org_id, body),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/org/suspend',
    summary: 'Suspend an organization',
    description:
      'Members can only read and export its data, stop replies, revoke access and leave. Owners can delete it. All other ' +
      'requests get 403 `access.organization_suspended` with the reason, its deployments get 403 `deployment.suspended`, ' +
      'and its knowledge bases read no sources. Replies in progress finish. Suspending it again replaces the reason. ' +
      'Owners get an email.',
    access: 'system',
    query: InOrganization,
    body: NewSuspension,
    example: { reason: 'Invoice 2041 is unpaid.' },
    effects: 'database',
    reply: confirms('Organization suspended'),
    errors: ['org.not_found'],
    handler: ({ caller, query, body }) => suspendOrganization(services, caller, query.org_id, body),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/org/lift_suspension',
    summary: "Lift an organization's suspension",
    description: 'Does nothing if the organization is not suspended. Owners get an email.',
    access: 'system',
    query: InOrganization,
    effects: 'database',
    reply: confirms('Suspension lifted'),
    errors: ['org.not_found'],
    handler: ({ caller, query }) => liftSuspension(services, caller, query.org_id),
  }),
]
