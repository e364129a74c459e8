import Type, { type Static } from 'typebox'
import { SEARCHED_MAX } from '#database/like.ts'
import type { Suspendable } from '#platform/access/suspension.ts'
import {
  Body,
  CreatedAt,
  described,
  idOf,
  NOT_BLANK,
  Nullable,
  ObjectId,
  OrgId,
  PageOf,
  PageQuery,
  PUBLIC_NAME,
  Timestamp,
  UpdatedAt,
} from '#platform/http/schemas.ts'

export const OrganizationName = Type.String({
  minLength: 1,
  maxLength: 100,
  ...PUBLIC_NAME,
  description: 'Display name of the organization.',
})

export const NewOrganization = Type.Object({
  name: OrganizationName,
  credits: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1e15,
      description: "Credits to move from the caller's personal organization. Default: 0.",
    }),
  ),
})
export type NewOrganization = Static<typeof NewOrganization>

const ResponseRetentionDays = Type.Integer({
  minimum: 0,
  maximum: 3650,
  description:
    'Days for which responses of `/openai/v1/responses` are stored. With 0, none is stored. A change applies to new ' +
    'responses.',
})

const SuspensionReason = Type.String({
  minLength: 1,
  maxLength: 500,
  ...NOT_BLANK,
  description: 'Why the organization is suspended. Its members see the reason.',
})
const Suspension = Nullable(
  Type.Object(
    { reason: SuspensionReason, suspended_at: described(Timestamp, 'When the organization was suspended.') },
    {
      description:
        'Suspension by the system administrator; null if there is none. Members of a suspended organization can only read and export its data.',
    },
  ),
)
export const NewSuspension = Body({ reason: SuspensionReason })

/** Returns the suspension of an organization's row. */
export const viewSuspension = ({
  suspended_at: at,
  suspension_reason: reason,
}: SuspensionColumns): Static<typeof Suspension> =>
  at === null || reason === null ? null : { reason, suspended_at: new Date(at).toISOString() }

export interface SuspensionColumns extends Suspendable {
  suspended_at: string | null
}

export const OrganizationView = Type.Object(
  {
    id: ObjectId,
    name: Type.String({ description: 'Display name of the organization.' }),
    slug: Type.String({ description: 'Short name for URLs, unique across organizations.' }),
    is_personal: Type.Boolean({ description: "Whether this is a user's personal organization." }),
    require_second_factor: Type.Boolean({
      description: 'Whether sessions need a second factor to use the organization. API keys do not.',
    }),
    response_retention_days: ResponseRetentionDays,
    suspension: Suspension,
    is_opened: Type.Boolean({
      description:
        "False for an added member who has not made a request to the organization yet. Its administrators do not see that member's name and email address.",
    }),
    user_role: Type.Object(
      {
        role_id: idOf('the role'),
        role_name: Type.String({ description: 'Name of the role.' }),
        level: Type.Integer({
          description: 'Hierarchy level of the role. Higher levels have more privileges.',
        }),
        permissions: Type.Array(Type.String(), {
          description: 'Permissions of the role, as `resource:action`. `*` matches any word.',
        }),
      },
      { description: "The caller's role in the organization." },
    ),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { title: 'Organization' },
)
export type OrganizationView = Static<typeof OrganizationView>
export const OrganizationPage = PageOf(OrganizationView, 'OrganizationPage')

export const LeaveLink = Body({
  token: Type.String({ minLength: 1, maxLength: 200, description: 'Token from the link in the email.' }),
})
export const LeaveLinkView = Type.Object(
  {
    organization: Type.Object(
      { id: ObjectId, name: Type.String({ description: 'Display name of the organization.' }) },
      { description: 'The organization that the link leaves.' },
    ),
  },
  { title: 'LeaveLink' },
)
export const NewMember = Body({
  organization_id: OrgId,
  user_id: idOf('the user to add'),
  role_id: idOf('the role to assign'),
})
export const OrganizationChange = Type.Object(
  {
    name: Type.Optional(OrganizationName),
    require_second_factor: Type.Optional(
      Type.Boolean({
        description:
          'Whether sessions need a second factor to use the organization. Only the owner can set it.',
      }),
    ),
    response_retention_days: Type.Optional(ResponseRetentionDays),
  },
  { additionalProperties: false, minProperties: 1 },
)
export type OrganizationChange = Static<typeof OrganizationChange>
export const NewOwner = Body({ user_id: idOf('the member who becomes the owner') })

const features = {
  daily_chat_limit: Nullable(
    Type.Integer({ minimum: 0, maximum: 1e9, description: 'Messages per UTC day; null for no limit.' }),
  ),
  file_upload: Type.Integer({
    minimum: 0,
    maximum: 1e15,
    description:
      'Storage for files, texts of knowledge bases, stored responses and their conversations, in bytes.',
  }),
  chat_uploads: Type.Integer({ minimum: 0, maximum: 1e6, description: 'Maximum number of files per chat.' }),
  mcp_sessions: Type.Integer({ minimum: 0, maximum: 1e6, description: 'Maximum number of MCP connections.' }),
  team_members: Type.Boolean({ description: 'Whether the organization can have further members.' }),
}
export const FeaturesView = Type.Object(features, { title: 'Features' })

export const AllOrganizationsQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      description: `Part of a name or of an owner's email address, compared with the newest ${SEARCHED_MAX} organizations; or a whole ID or email address.`,
    }),
  ),
  ...PageQuery,
})
export const ListedOrganization = Type.Object(
  {
    id: ObjectId,
    name: Type.String({ description: 'Display name of the organization.' }),
    is_personal: Type.Boolean({ description: "Whether this is a user's personal organization." }),
    owner_email: Nullable(
      Type.String({ description: 'Email address of an active owner; null if there is none.' }),
    ),
    members: Type.Integer({ description: 'Active, invited and suspended members.' }),
    credits_this_month: Type.Number({ description: 'Credits spent this month (UTC).' }),
    balance: Type.Number({ description: 'Balance, in credits.' }),
    features: described(FeaturesView, 'Limits of the organization.'),
    suspension: Suspension,
    created_at: CreatedAt,
  },
  { title: 'ListedOrganization' },
)
export type ListedOrganization = Static<typeof ListedOrganization>
export const AllOrganizationsPage = PageOf(ListedOrganization, 'AllOrganizationsPage')

/** Current usage of each limit. */
const usage = Type.Object(
  {
    messages_today: Type.Integer({
      description: 'Messages sent since midnight UTC. Counts towards `daily_chat_limit`.',
    }),
    stored_bytes: Type.Integer({ description: 'Bytes of everything that counts towards `file_upload`.' }),
    mcp_sessions: Type.Integer({ description: 'MCP connections, including pending ones.' }),
    members: Type.Integer({ description: 'Active, invited and suspended members.' }),
  },
  { description: 'Current usage of the limits.' },
)
export const FeaturesInUse = Type.Object({ ...features, usage }, { title: 'FeaturesInUse' })
export type FeaturesInUse = Static<typeof FeaturesInUse>

export const FeaturesChange = Type.Partial(Type.Object(features), { additionalProperties: false })
export type FeaturesChange = Static<typeof FeaturesChange>
