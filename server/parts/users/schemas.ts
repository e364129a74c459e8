import { LANGUAGES, type Language } from '@parley/messages/languages'
import Type, { type Static } from 'typebox'
import { SEARCHED_MAX } from '#database/like.ts'
import {
  Body,
  CreatedAt,
  described,
  Email,
  Enum,
  FirstName,
  idOf,
  LastName,
  Nullable,
  ObjectId,
  OrgId,
  PageOf,
  PageQuery,
  Timestamp,
} from '#platform/http/schemas.ts'
import { EmailSent } from '../invitations/index.ts'

const InterfaceLanguage = Nullable(
  Enum(Object.keys(LANGUAGES) as Language[], {
    description: "Language of the console and of email; null for the browser's.",
  }),
)

const Organizations = Type.Array(
  Type.Object({
    id: ObjectId,
    name: Type.String({ description: 'Display name of the organization.' }),
    slug: Type.String({ description: 'Short name for URLs, unique across organizations.' }),
    role_id: idOf("the user's role"),
    role_name: Type.String({ description: "Name of the user's role." }),
  }),
  { description: 'Organizations that the user is a member of.' },
)
const person = {
  email: Type.String({ description: 'Email address of the user.' }),
  first_name: Type.String({ description: 'First name of the user.' }),
  last_name: Type.String({ description: 'Last name of the user.' }),
  full_name: Type.String({ description: 'First and last name, separated by a space.' }),
}

export const UserView = Type.Object(
  {
    id: ObjectId,
    ...person,
    email_verified: Type.Boolean({ description: 'Whether the user has confirmed the email address.' }),
    language: InterfaceLanguage,
    is_system_admin: Type.Boolean({ description: 'Whether the user administers the installation.' }),
    organizations: Organizations,
    created_at: CreatedAt,
  },
  { title: 'User' },
)
export type UserView = Static<typeof UserView>

/** A search text of the system administrator's lists. */
const SearchText = Type.Optional(
  Type.String({
    maxLength: 200,
    description: `Part of a name or of an email address, compared with the newest ${SEARCHED_MAX} accounts; or a whole ID or email address.`,
  }),
)
export const AllUsersQuery = Type.Object({ q: SearchText, ...PageQuery })

export const ListedPerson = Type.Object(
  {
    id: ObjectId,
    ...person,
    email_verified: Type.Boolean({ description: 'Whether the user has confirmed the email address.' }),
    is_system_admin: Type.Boolean({ description: 'Whether the user administers the installation.' }),
    organizations: Type.Array(
      Type.Object({
        id: ObjectId,
        name: Type.String({ description: 'Display name of the organization.' }),
        role_name: Type.String({ description: "Name of the user's role." }),
        status: Enum(['active', 'suspended'], { description: 'Whether the member is active or suspended.' }),
      }),
      { description: 'Organizations that the user is a member of.' },
    ),
    credits_this_month: Type.Number({
      description: "Credits that the user's requests have cost this month (UTC), in all organizations.",
    }),
    last_active_at: Nullable(
      described(
        Timestamp,
        'When the user last signed in or refreshed a session; null if no recent session is known.',
      ),
    ),
    created_at: CreatedAt,
  },
  { title: 'ListedPerson' },
)
export type ListedPerson = Static<typeof ListedPerson>
export const AllUsersPage = PageOf(ListedPerson, 'PeoplePage')

export const FoundUser = Type.Object({ id: ObjectId, ...person }, { title: 'FoundUser' })
export type FoundUser = Static<typeof FoundUser>
export const SearchQuery = Type.Object({
  org_id: OrgId,
  q: Type.String({ minLength: 1, maxLength: 200, description: 'Part of a name or email address.' }),
  ...PageQuery,
})
export type SearchQuery = Static<typeof SearchQuery>
export const FoundUserPage = PageOf(FoundUser, 'FoundUserPage')

/** Statuses in the list of users, which contains members and invitations. */
export const LISTED_STATUSES = ['active', 'pending', 'expired', 'suspended'] as const

const listed = {
  id: Nullable(idOf('the user; null for an invited person without an account')),
  ...person,
  status: Enum(LISTED_STATUSES, { description: 'Status of the membership or invitation.' }),
  role: Nullable(
    Type.Object(
      {
        id: ObjectId,
        name: Type.String({ description: 'Name of the role.' }),
        hierarchy_level: Type.Integer({
          description: 'Hierarchy level of the role. Higher levels have more privileges.',
        }),
      },
      { description: 'Role in the organization; null if the role of an invitation was deleted.' },
    ),
  ),
  invite_id: Nullable(idOf('the invitation; null for a member')),
  invited_at: Nullable(described(Timestamp, 'When the person was invited; null for a member.')),
}
export const ListedUser = Type.Object(listed, { title: 'ListedUser' })
export type ListedUser = Static<typeof ListedUser>

export const UserList = Type.Object(
  {
    users: Type.Array(ListedUser, { description: 'Users of this page.' }),
    total: Type.Integer({ description: 'Number of users on all pages.' }),
  },
  { title: 'UserList' },
)
export type UserList = Static<typeof UserList>

export const ListQuery = Type.Object({
  org_id: OrgId,
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: 'Zero-based page number.' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'Maximum number of users per page.' }),
  ),
  q: Type.Optional(
    Type.String({ maxLength: 200, description: 'Search text, matched against names and email addresses.' }),
  ),
  status: Type.Optional(
    Enum(LISTED_STATUSES, { description: 'Filter by status. By default, all but suspended users.' }),
  ),
})
export type ListQuery = Static<typeof ListQuery>

export const NewInvitee = Body({
  email: Email,
  first_name: FirstName,
  last_name: LastName,
  role: idOf('the role to assign'),
})
export type NewInvitee = Static<typeof NewInvitee>

export const InvitedUser = Type.Object(
  { id: ObjectId, ...person, organizations: Organizations, email_sent: EmailSent },
  { title: 'InvitedUser' },
)
export type InvitedUser = Static<typeof InvitedUser>

export const RoleChoice = Body({ role_id: idOf('the role to assign') })
export const StatusChange = Body({
  status: Enum(['active', 'suspended'], {
    description: 'New status. Suspended members lose access to the organization.',
  }),
})

export const MemberView = Type.Object(
  {
    id: ObjectId,
    ...person,
    status: Enum(['active', 'suspended'], { description: 'Whether the member is active or suspended.' }),
    role: Type.Object(
      {
        id: ObjectId,
        name: Type.String({ description: 'Name of the role.' }),
        hierarchy_level: Type.Integer({
          description: 'Hierarchy level of the role. Higher levels have more privileges.',
        }),
      },
      { description: 'Role of the member.' },
    ),
    invite_id: { type: 'null', description: 'Always null for members.' } as never,
    invited_at: Nullable(
      described(
        Timestamp,
        'When the accepted invitation was created; null if the member joined without one.',
      ),
    ),
    last_active_at: Nullable(
      described(
        Timestamp,
        'When the member last signed in or refreshed a session; null if no recent session is known.',
      ),
    ),
    created_at: CreatedAt,
  },
  { title: 'Member' },
)
export type MemberView = Static<typeof MemberView>

export const ProfileChange = Body({
  first_name: Type.Optional(FirstName),
  last_name: Type.Optional(LastName),
  language: Type.Optional(InterfaceLanguage),
  password: Type.Optional(
    Type.String({ minLength: 8, maxLength: 128, description: 'New password. Requires `current_password`.' }),
  ),
  current_password: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: 'Current password. Required with `password`.' }),
  ),
})
export type ProfileChange = Static<typeof ProfileChange>
