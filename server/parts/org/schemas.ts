import Type, { type Static } from 'typebox'
import { Body, NOT_BLANK, Nullable, PageOf, Timestamp, Uuid } from '#platform/http/schemas.ts'

export const OrganizationName = Type.String({ minLength: 1, maxLength: 100, ...NOT_BLANK })

export const NewOrganization = Type.Object({
  name: OrganizationName,
  credits: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1e15,
      description: 'Credits to move from the personal organization of the caller',
    }),
  ),
})
export type NewOrganization = Static<typeof NewOrganization>

export const OrganizationView = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    slug: Type.String(),
    is_personal: Type.Boolean(),
    require_second_factor: Type.Boolean({
      description: 'Whether sessions need a second factor to use it; API keys do not',
    }),
    is_opened: Type.Boolean({
      description:
        'False for a member who was added and has made no request to the organization yet: it sees neither name nor address.',
    }),
    user_role: Type.Object({
      role_id: Uuid,
      role_name: Type.String(),
      level: Type.Integer(),
      permissions: Type.Array(Type.String(), { description: '`*` stands for any word' }),
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Organization' },
)
export type OrganizationView = Static<typeof OrganizationView>
export const OrganizationPage = PageOf(OrganizationView, 'OrganizationPage')

export const LeaveLink = Body({ token: Type.String({ minLength: 1, maxLength: 200 }) })
export const LeaveLinkView = Type.Object(
  { organization: Type.Object({ id: Uuid, name: Type.String() }) },
  { title: 'LeaveLink' },
)
export const NewMember = Body({ organization_id: Uuid, user_id: Uuid, role_id: Uuid })
export const OrganizationChange = Type.Object(
  {
    name: Type.Optional(OrganizationName),
    require_second_factor: Type.Optional(Type.Boolean({ description: 'Only the owner may set it' })),
  },
  { additionalProperties: false, minProperties: 1 },
)
export type OrganizationChange = Static<typeof OrganizationChange>
export const NewOwner = Body({ user_id: Uuid })

const features = {
  daily_chat_limit: Nullable(
    Type.Integer({ minimum: 0, maximum: 1e9, description: 'Messages a day; null: no limit' }),
  ),
  file_upload: Type.Integer({ minimum: 0, maximum: 1e15, description: 'Bytes of all uploads together' }),
  chat_uploads: Type.Integer({ minimum: 0, maximum: 1e6, description: 'Files in one chat' }),
  mcp_sessions: Type.Integer({ minimum: 0, maximum: 1e6, description: 'MCP connections' }),
  team_members: Type.Boolean({ description: 'Whether members can be added' }),
}
export const FeaturesView = Type.Object(features, { title: 'Features' })

/** What is used of it. */
const usage = Type.Object({
  messages_today: Type.Integer({ description: 'Of daily_chat_limit, since midnight (UTC)' }),
  stored_bytes: Type.Integer({ description: 'Of file_upload' }),
  mcp_sessions: Type.Integer({ description: 'MCP connections, with those that are being made' }),
  members: Type.Integer({ description: 'Active, invited and suspended' }),
})
export const FeaturesInUse = Type.Object({ ...features, usage }, { title: 'FeaturesInUse' })
export type FeaturesInUse = Static<typeof FeaturesInUse>

export const FeaturesChange = Type.Partial(Type.Object(features), { additionalProperties: false })
export type FeaturesChange = Static<typeof FeaturesChange>
