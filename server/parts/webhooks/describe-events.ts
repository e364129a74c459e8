import Type, { type TProperties } from 'typebox'
import { exampleOf } from '#platform/http/compose-example.ts'
import {
  described,
  Enum,
  idOf,
  Nullable,
  ObjectId,
  OrganizationId,
  Timestamp,
} from '#platform/http/schemas.ts'
import { TEST_EVENT_TYPE, type WebhookEventType } from './schemas.ts'
import { DELIVERY_TIMES } from './try-delivery.ts'

/* Describes the requests that webhook endpoints receive, for the API reference. */

const Credits = (description: string) => Type.Number({ description })
const Count = (description: string) => Type.Integer({ description })
const id = (record: string) => Nullable(idOf(`${record}; null if there is none`))

const Ingestion = {
  knowledge_base_id: idOf('the knowledge base'),
  name: Type.String({ description: 'Name of the knowledge base.' }),
  documents: Type.Object(
    {
      total: Count('Number of documents.'),
      ready: Count('Number of indexed documents.'),
      failed: Count('Number of failed documents.'),
    },
    { description: 'Documents by status.' },
  ),
  sources: Type.Array(
    Type.Object({
      id: ObjectId,
      type: Type.String({ description: 'Type of the source.' }),
      status: Type.String({ description: 'Status of the ingestion.' }),
      error: Nullable(Type.String({ description: 'Reason why the ingestion failed; null if it did not.' })),
    }),
    { description: 'Ingestion of each source.' },
  ),
}
const STATUSES = ['active', 'paused'] as const

interface EventDescription {
  component: string
  summary: string
  description: string
  data: TProperties
}

const EVENTS: Record<WebhookEventType | typeof TEST_EVENT_TYPE, EventDescription> = {
  'agent_deployment.status_changed': {
    component: 'DeploymentStatusChanged',
    summary: 'Deployment paused or resumed',
    description: 'Sent when the status of a deployment changes.',
    data: {
      deployment_id: idOf('the deployment'),
      name: Type.String({ description: 'Name of the deployment.' }),
      status: Enum(STATUSES, { description: 'New status.' }),
      previous_status: Enum(STATUSES, { description: 'Previous status.' }),
    },
  },
  'conversation.updated': {
    component: 'ConversationUpdated',
    summary: 'Conversation changed',
    description:
      'Sent when a conversation is created, renamed, archived, restored or deleted, and when a reply ends. Contains no ' +
      'titles or texts: they are private to the user.',
    data: {
      conversation_id: idOf('the conversation'),
      change: Enum(['message', 'created', 'renamed', 'archived', 'restored', 'deleted'], {
        description: 'Change of the conversation. `message`: a reply ended.',
      }),
      message_id: Type.Optional(idOf('the reply. Present for the change `message`')),
      status: Type.Optional(
        Enum(['complete', 'stopped', 'error'], {
          description: 'How the reply ended. Present for the change `message`.',
        }),
      ),
    },
  },
  'billing.debited': {
    component: 'BillingDebited',
    summary: 'Credits debited',
    description: 'Sent for each debit of a model call.',
    data: {
      ledger_entry_id: idOf('the ledger entry'),
      organization_id: OrganizationId,
      model_id: id('the model'),
      user_id: id('the user'),
      api_key_id: id('the API key'),
      agent_id: id('the agent'),
      deployment_id: id('the deployment'),
      chat_id: id('the chat'),
      message_id: id('the message'),
      credits: Credits('Credits charged.'),
      balance: Credits('Balance after the debit, in credits.'),
      usage: Type.Object(
        {
          input_tokens: Count('Tokens that the model read.'),
          output_tokens: Nullable(Count('Tokens that the model wrote, including reasoning.')),
        },
        { description: 'Usage of the model call.' },
      ),
    },
  },
  'billing.credits_low': {
    component: 'BillingCreditsLow',
    summary: 'Credits low',
    description: 'Sent once, when the balance falls below the threshold of the organization.',
    data: {
      organization_id: OrganizationId,
      balance: Credits('Balance, in credits.'),
      available: Credits('Balance minus holds, in credits.'),
      threshold: Credits('Threshold of the event, in credits.'),
    },
  },
  'knowledge_base.ingestion_completed': {
    component: 'IngestionCompleted',
    summary: 'Ingestion completed',
    description:
      'Sent when no source is left to read and no document is left to index. Single documents or sources can have ' +
      'failed.',
    data: { ...Ingestion, status: Enum(['ready'], { description: 'Always `ready`.' }) },
  },
  'knowledge_base.ingestion_failed': {
    component: 'IngestionFailed',
    summary: 'Ingestion failed',
    description: 'Sent when an ingestion ends with a failure and no document is ready.',
    data: { ...Ingestion, status: Enum(['failed'], { description: 'Always `failed`.' }) },
  },
  [TEST_EVENT_TYPE]: {
    component: 'WebhookTest',
    summary: 'Test event',
    description: 'Sent by POST /api/webhooks/test only, in one attempt.',
    data: { webhook_id: idOf('the webhook'), requested_by: idOf('the user who requested the test') },
  },
}

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

/**
 * The request headers defined by Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks, spec
 * 1.0.0).
 */
const HEADERS = [
  header(
    'webhook-id',
    'ID of the event, the same in each attempt.',
    'msg_0195f3c4-8a5e-7cc3-9e0f-000000000030',
  ),
  header('webhook-timestamp', 'Time of the attempt, in Unix seconds.', '1772442002'),
  header(
    'webhook-signature',
    '`v1,` and the base64 of the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`. The key is the secret after ' +
      '`whsec_`, base64-decoded. Separated by a space, a second signature follows for 24 hours after a rotation.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
]

const ATTEMPTS = DELIVERY_TIMES.retryDelaysMs.length + 1
const RESPONSES = {
  '2XX': {
    description: `Delivered. Respond within ${DELIVERY_TIMES.timeoutMs / 1000} seconds. The body is ignored.`,
  },
  410: { description: 'Disables the webhook.' },
  default: {
    description: `The attempt failed, also for redirects. Parley attempts a delivery up to ${ATTEMPTS} times.`,
  },
}

/** Returns the requests that webhook endpoints receive, by event type, as Path Items (OpenAPI 3.1, Webhooks). */
export const describeEvents = (): Record<string, object> =>
  Object.fromEntries(
    Object.entries(EVENTS).map(([type, { component, summary, description, data }]) => {
      const schema = Type.Object(
        {
          type: Type.Literal(type, { description: 'Type of the event.' }),
          timestamp: described(Timestamp, 'When the event happened, in ISO 8601 (UTC).'),
          data: Type.Object(data, { description: 'Data of the event.' }),
          organization_id: idOf('the organization'),
          sequence: Count('Sequence number of the event at this webhook, without gaps.'),
          id: Type.String({ description: 'ID of the event, as in `webhook-id`.' }),
        },
        { title: `${component}Event` },
      )
      const post = {
        operationId: `webhook_${type.replace('.', '_')}`,
        tags: ['webhooks'],
        summary,
        description,
        security: [],
        parameters: HEADERS,
        requestBody: {
          required: true,
          description: 'The event.',
          content: { 'application/json': { schema, example: exampleOf(schema) } },
        },
        responses: RESPONSES,
      }
      return [type, { post }]
    }),
  )
