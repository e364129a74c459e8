import Type, { type Static } from 'typebox'
import { type agentDeployments, DEPLOYMENT_TYPES } from '#database/schema/agent-deploy.ts'
import { Body, Enum, matching, NOT_BLANK, Nullable, PageOf, Timestamp, Uuid } from '#platform/http/schemas.ts'
import type { MessageRow } from '../chat/index.ts'

export type DeploymentRow = typeof agentDeployments.$inferSelect

const STATUSES = ['active', 'paused'] as const
const MESSAGES_MAX = 1_000_000
const ORIGINS_MAX = 50
/** Of an address, of an origin. */
const ADDRESS_CHARACTERS_MAX = 2_000

const Name = Type.String({ minLength: 1, maxLength: 200, ...NOT_BLANK })
const Description = Type.String({ maxLength: 5_000 })
const Address = (description: string) => Type.String({ maxLength: ADDRESS_CHARACTERS_MAX, description })

const Theme = Body({
  primary_color: Type.Optional(Type.String({ maxLength: 7, description: 'For example #0b5fff' })),
  font_family: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Names of fonts, with commas between them: Open Sans, Arial',
    }),
  ),
})
const Branding = Body({
  logo_url: Type.Optional(Address('An https address; http on this machine only')),
  company_name: Type.Optional(Type.String({ maxLength: 200 })),
})

/** What a web page shows of a deployment. */
const shown = {
  theme: Type.Optional(Theme),
  branding: Type.Optional(Branding),
  widget_placement: Type.Optional(
    Enum(['bottom-right', 'bottom-left'], {
      description: 'Of the type widget only; bottom-right where absent',
    }),
  ),
  welcome_message: Type.Optional(Type.String({ maxLength: 2_000 })),
}

/** What is allowed is more than a schema can say: see checkConfig. */
export const Config = Body(
  {
    ...shown,
    allowed_origins: Type.Optional(
      Type.Array(Address('For example https://www.example.com'), {
        maxItems: ORIGINS_MAX,
        description:
          'Of the types widget and iframe: the pages that may show the chat, in lower case as browsers write them; ' +
          'where absent or empty, every page',
      }),
    ),
    daily_message_limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MESSAGES_MAX,
        description: 'Messages that are taken on a day (UTC), counted while there is a limit',
      }),
    ),
  },
  { title: 'DeploymentConfig' },
)
export type Config = Static<typeof Config>

export const NewDeployment = Body({
  agent_id: Uuid,
  name: Name,
  description: Description,
  deployment_type: Enum(DEPLOYMENT_TYPES),
  config: Config,
})
export type NewDeployment = Static<typeof NewDeployment>

export const DeploymentChange = Body({
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  config: Type.Optional(Config),
  status: Type.Optional(Enum(STATUSES)),
})
export type DeploymentChange = Static<typeof DeploymentChange>

const deployment = {
  id: Uuid,
  organization_id: Uuid,
  agent_id: Uuid,
  name: Type.String(),
  description: Type.String(),
  deployment_type: Enum(DEPLOYMENT_TYPES),
  config: Config,
  status: Enum(STATUSES),
  api_key_prefix: Type.String({ description: 'How the key begins' }),
  created_by: Uuid,
  created_at: Timestamp,
  updated_at: Timestamp,
}
export const DeploymentView = Type.Object(deployment, { title: 'Deployment' })
export type DeploymentView = Static<typeof DeploymentView>
export const DeploymentPage = PageOf(DeploymentView, 'DeploymentPage')

export const DeploymentWithKey = Type.Object(
  { ...deployment, api_key: Type.String({ description: 'Shown this once' }) },
  { title: 'DeploymentWithKey' },
)
export type DeploymentWithKey = Static<typeof DeploymentWithKey>

export const viewDeployment = (row: DeploymentRow): DeploymentView => ({
  id: row.id,
  organization_id: row.organizationId,
  agent_id: row.agentId,
  name: row.name,
  description: row.description,
  deployment_type: row.deploymentType,
  config: row.config,
  status: row.status,
  api_key_prefix: row.apiKeyPrefix,
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

export const VisitorKey = Body({
  visitor_key: Type.String({
    ...matching('^[A-Za-z0-9_-]{43}$', 'must be 32 random bytes as base64url, which are 43 characters'),
    description:
      '32 random bytes as base64url, which the browser has made and keeps: who knows it is the visitor',
  }),
})

export const VisitorPass = Type.Object(
  {
    token: Type.String({ description: 'For Authorization: Bearer' }),
    expires_in: Type.Integer({ description: 'Seconds' }),
    deployment: Type.Object({
      id: Uuid,
      name: Type.String(),
      deployment_type: Enum(['widget', 'iframe']),
      config: Type.Object(shown),
    }),
  },
  { title: 'VisitorPass' },
)
export type VisitorPass = Static<typeof VisitorPass>

const SessionMessageView = Type.Object(
  {
    id: Uuid,
    role: Enum(['user', 'assistant']),
    content: Type.String(),
    status: Enum(['streaming', 'complete', 'stopped', 'error']),
    error: Nullable(Type.String()),
    created_at: Timestamp,
  },
  { title: 'DeploymentSessionMessage' },
)
export const SessionView = Type.Object(
  {
    id: Uuid,
    messages: Type.Array(SessionMessageView, {
      description: 'The newest, oldest first: 100, or fewer once they hold 2 MB of text',
    }),
  },
  { title: 'DeploymentSession' },
)

/** What an agent has looked up and called to write a reply is not told. */
export const viewSession = (id: string, messages: MessageRow[]): Static<typeof SessionView> => ({
  id,
  messages: messages.map(({ id, role, content, status, error, createdAt }) => ({
    id,
    role,
    content,
    status,
    error,
    created_at: createdAt.toISOString(),
  })),
})

const counts = {
  messages: Type.Integer({ description: 'Replies that were paid' }),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  credits: Type.Number(),
}
export const UsageView = Type.Object(
  {
    deployment_id: Uuid,
    from: Type.String(),
    to: Type.String(),
    totals: Type.Object(counts),
    daily: Type.Array(Type.Object({ date: Type.String({ description: 'UTC' }), ...counts })),
  },
  { title: 'DeploymentUsage' },
)
export type UsageView = Static<typeof UsageView>
