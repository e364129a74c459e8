import Type, { type Static } from 'typebox'
import { type agentDeployments, DEPLOYMENT_TYPES } from '#database/schema/agent-deploy.ts'
import { ChangeOf } from '#platform/http/merge-fields.ts'
import {
  Body,
  CreatedAt,
  CreatedBy,
  described,
  Enum,
  FailureFields,
  InputTokens,
  idOf,
  matching,
  NAME,
  NOT_BLANK,
  ObjectId,
  OrganizationId,
  OutputTokens,
  PageOf,
  PLAIN_NAME,
  UpdatedAt,
} from '#platform/http/schemas.ts'
import { FinishReasonField, type MessageRow, viewFailure } from '../chat/index.ts'

export type DeploymentRow = typeof agentDeployments.$inferSelect

const STATUSES = ['active', 'paused'] as const
const MESSAGES_MAX = 1_000_000
const ORIGINS_MAX = 50
/** Maximum length of a URL or an origin. */
const ADDRESS_CHARACTERS_MAX = 2_000

const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  ...NAME,
  description: 'Name of the deployment.',
})
const Description = Type.String({ maxLength: 5_000, description: 'Description for people.' })
const Address = (description: string) => Type.String({ maxLength: ADDRESS_CHARACTERS_MAX, description })

const Theme = Body(
  {
    primary_color: Type.Optional(
      Type.String({ maxLength: 7, description: 'Primary color, such as `#0b5fff`.' }),
    ),
    font_family: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Comma-separated font names, such as `Open Sans, Arial`.',
      }),
    ),
  },
  { description: 'Colors and fonts of the chat.' },
)
const Branding = Body(
  {
    logo_url: Type.Optional(
      described(
        Address('An https address; http on this machine only'),
        'HTTPS URL of the logo. Plain HTTP is allowed for localhost.',
      ),
    ),
    company_name: Type.Optional(
      Type.String({ maxLength: 200, [PLAIN_NAME]: true, description: 'Company name shown in the chat.' }),
    ),
  },
  { description: 'Logo and name shown in the chat.' },
)

/** Settings that determine how the widget looks on a web page. */
const shown = {
  theme: Type.Optional(Theme),
  branding: Type.Optional(Branding),
  widget_placement: Type.Optional(
    Enum(['bottom-right', 'bottom-left'], {
      description:
        'Corner of the page for the widget. Only for deployments of type widget. Default: bottom-right.',
    }),
  ),
  welcome_message: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: "First message shown to visitors. Default: a greeting in the visitor's language.",
    }),
  ),
  starter_questions: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200, ...NOT_BLANK, description: 'A question.' }), {
      minItems: 1,
      maxItems: 4,
      description:
        "Questions that visitors can send with one click. Default: general questions in the visitor's language.",
    }),
  ),
}

/** Schema of a deployment's configuration. checkConfig validates what the schema cannot express. */
export const Config = Body(
  {
    ...shown,
    allowed_origins: Type.Optional(
      Type.Array(Address('For example https://www.example.com'), {
        maxItems: ORIGINS_MAX,
        description:
          'Origins of pages that can show the chat, in lower case, for types widget and iframe. By default, every page.',
      }),
    ),
    daily_message_limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MESSAGES_MAX,
        description: 'Maximum number of messages per UTC day. By default, no limit.',
      }),
    ),
  },
  { title: 'DeploymentConfig', description: 'Settings of the deployment.' },
)
export type Config = Static<typeof Config>

export const NewDeployment = Body({
  agent_id: idOf('the agent to deploy'),
  name: Name,
  description: Description,
  deployment_type: Enum(DEPLOYMENT_TYPES, {
    description: '`api` for programs, `widget` for a chat button, `iframe` for an embedded chat.',
  }),
  config: described(Config, 'Settings of the deployment.'),
})
export type NewDeployment = Static<typeof NewDeployment>

export const DeploymentChange = Body({
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  config: Type.Optional(ChangeOf(Config)),
  status: Type.Optional(
    Enum(STATUSES, { description: 'Status of the deployment. A paused deployment refuses messages.' }),
  ),
})
export type DeploymentChange = Static<typeof DeploymentChange>

const deployment = {
  id: ObjectId,
  organization_id: OrganizationId,
  agent_id: idOf('the deployed agent'),
  name: Type.String({ description: 'Name of the deployment.' }),
  description: Type.String({ description: 'Description for people.' }),
  deployment_type: Enum(DEPLOYMENT_TYPES, {
    description: '`api` for programs, `widget` for a chat button, `iframe` for an embedded chat.',
  }),
  config: described(Config, 'Settings of the deployment.'),
  status: Enum(STATUSES, { description: 'Status of the deployment. A paused deployment refuses messages.' }),
  api_key_prefix: Type.String({ description: 'First characters of the key, to recognize it.' }),
  created_by: CreatedBy,
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}
export const DeploymentView = Type.Object(deployment, { title: 'Deployment' })
export type DeploymentView = Static<typeof DeploymentView>
export const DeploymentPage = PageOf(DeploymentView, 'DeploymentPage')

export const DeploymentWithKey = Type.Object(
  { ...deployment, api_key: Type.String({ description: 'Key of the deployment. Returned once.' }) },
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
    ...matching('^[A-Za-z0-9_-]{43}$', 'must be 32 random bytes in base64url: 43 characters'),
    description:
      '32 random bytes in base64url, generated and stored by the browser. The key identifies the visitor.',
  }),
})

export const VisitorPass = Type.Object(
  {
    token: Type.String({ description: 'Token for the `Authorization: Bearer` header.' }),
    expires_in: Type.Integer({ description: 'Seconds until the token expires.' }),
    deployment: Type.Object(
      {
        id: ObjectId,
        name: Type.String({ description: 'Name of the deployment.' }),
        deployment_type: Enum(['widget', 'iframe'], { description: 'Type of the deployment.' }),
        config: Type.Object(shown, { description: 'Settings that the page needs.' }),
      },
      { description: 'The deployment, as the page shows it.' },
    ),
  },
  { title: 'VisitorPass' },
)
export type VisitorPass = Static<typeof VisitorPass>

const SessionMessageView = Type.Object(
  {
    id: ObjectId,
    role: Enum(['user', 'assistant'], { description: 'Author of the message.' }),
    content: Type.String({ description: 'Text of the message.' }),
    status: Enum(['streaming', 'complete', 'stopped', 'error'], { description: 'Status of the message.' }),
    ...FailureFields,
    finish_reason: FinishReasonField,
    created_at: CreatedAt,
  },
  { title: 'DeploymentSessionMessage' },
)
export const SessionView = Type.Object(
  {
    id: ObjectId,
    messages: Type.Array(SessionMessageView, {
      description: 'Newest messages, oldest first: at most 100 messages or 2 MB of text.',
    }),
  },
  { title: 'DeploymentSession' },
)

/** Returns a session with its messages, without citations and tool calls. */
export const viewSession = (id: string, messages: MessageRow[]): Static<typeof SessionView> => ({
  id,
  messages: messages.map((message) => ({
    id: message.id,
    role: message.role,
    content: message.content,
    status: message.status,
    ...viewFailure(message),
    finish_reason: message.finishReason,
    created_at: message.createdAt.toISOString(),
  })),
})

const counts = {
  messages: Type.Integer({ description: 'Number of charged replies.' }),
  input_tokens: InputTokens,
  output_tokens: OutputTokens,
  credits: Type.Number({ description: 'Credits charged.' }),
}
export const UsageView = Type.Object(
  {
    deployment_id: idOf('the deployment'),
    from: Type.String({ description: 'First UTC day.' }),
    to: Type.String({ description: 'Last UTC day, inclusive.' }),
    totals: Type.Object(counts, { description: 'Usage of the whole period.' }),
    daily: Type.Array(Type.Object({ date: Type.String({ description: 'UTC day.' }), ...counts }), {
      description: 'Usage per day.',
    }),
  },
  { title: 'DeploymentUsage' },
)
export type UsageView = Static<typeof UsageView>
