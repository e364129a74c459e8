import Type, { type Static } from 'typebox'
import { Body, Email, Enum, Nullable, PersonName, Timestamp, Uuid } from '#platform/http/schemas.ts'

const Organizations = Type.Array(
  Type.Object({
    id: Uuid,
    name: Type.String(),
    slug: Type.String(),
    role_id: Uuid,
    role_name: Type.String(),
  }),
)
const person = {
  email: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  full_name: Type.String(),
}

export const UserView = Type.Object(
  {
    id: Uuid,
    ...person,
    email_verified: Type.Boolean(),
    is_system_admin: Type.Boolean(),
    organizations: Organizations,
    created_at: Timestamp,
  },
  { title: 'User' },
)
export type UserView = Static<typeof UserView>

export const FoundUser = Type.Object({ id: Uuid, ...person }, { title: 'FoundUser' })
export type FoundUser = Static<typeof FoundUser>

/** Whether somebody in the users list is a member, or only invited. */
export const LISTED_STATUSES = ['active', 'pending', 'expired', 'suspended'] as const

const listed = {
  id: Nullable(Uuid),
  ...person,
  status: Enum(LISTED_STATUSES),
  role: Nullable(Type.Object({ id: Uuid, name: Type.String(), hierarchy_level: Type.Integer() })),
  invite_id: Nullable(Uuid),
  invited_at: Nullable(Timestamp),
}
export const ListedUser = Type.Object(listed, { title: 'ListedUser' })
export type ListedUser = Static<typeof ListedUser>

export const UserList = Type.Object(
  { users: Type.Array(ListedUser), total: Type.Integer() },
  { title: 'UserList' },
)
export type UserList = Static<typeof UserList>

export const ListQuery = Type.Object({
  org_id: Uuid,
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: 'Number of the page, from 0' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'Users on a page' }),
  ),
  q: Type.Optional(Type.String({ maxLength: 200, description: 'Part of a name or an email' })),
  status: Type.Optional(
    Enum(LISTED_STATUSES, { description: 'Only these; without it all but the suspended ones' }),
  ),
})
export type ListQuery = Static<typeof ListQuery>

export const NewInvitee = Body({ email: Email, first_name: PersonName, last_name: PersonName, role: Uuid })
export type NewInvitee = Static<typeof NewInvitee>

export const InvitedUser = Type.Object(
  { id: Uuid, ...person, organizations: Organizations },
  { title: 'InvitedUser' },
)
export type InvitedUser = Static<typeof InvitedUser>

export const RoleChoice = Body({ role_id: Uuid })
export const StatusChange = Body({ status: Enum(['active', 'suspended']) })

export const MemberView = Type.Object(
  {
    id: Uuid,
    ...person,
    status: Enum(['active', 'suspended']),
    role: Type.Object({ id: Uuid, name: Type.String(), hierarchy_level: Type.Integer() }),
    invite_id: { type: 'null' } as never,
    invited_at: Nullable(Timestamp),
    last_active_at: Nullable(Timestamp),
    created_at: Timestamp,
  },
  { title: 'Member' },
)
export type MemberView = Static<typeof MemberView>

export const ProfileChange = Body({
  first_name: Type.Optional(PersonName),
  last_name: Type.Optional(PersonName),
  password: Type.Optional(Type.String({ minLength: 8, maxLength: 128 })),
  current_password: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: 'Needed with password' }),
  ),
})
export type ProfileChange = Static<typeof ProfileChange>
