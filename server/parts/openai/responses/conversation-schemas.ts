import Type from 'typebox'
import { described, Enum } from '#platform/http/schemas.ts'
import { JsonSchema, open, optional } from '../schemas.ts'
import { SentItem } from './schemas.ts'

/** Maximum number of items that one request adds, as in OpenAI's API. */
const ADDED_MAX = 20

const Metadata = optional(described(JsonSchema, 'Metadata of the client.'))

export const NewConversation = open(
  {
    items: optional(Type.Array(SentItem, { maxItems: ADDED_MAX, description: 'First items.' })),
    metadata: Metadata,
  },
  { title: 'OpenAiNewConversation' },
)

export const ConversationMetadata = open({ metadata: Metadata }, { title: 'OpenAiConversationMetadata' })

export const ConversationItems = open(
  {
    items: Type.Array(SentItem, { minItems: 1, maxItems: ADDED_MAX, description: 'Items to add.' }),
  },
  { title: 'OpenAiConversationItems' },
)

export const Conversation = Type.Object(
  {
    id: Type.String({ description: 'Unique identifier of the conversation.' }),
    object: Enum(['conversation'], { description: 'Always `conversation`.' }),
    created_at: Type.Integer({ description: 'When the conversation was created, in Unix seconds.' }),
    metadata: described(JsonSchema, 'Metadata of the client.'),
  },
  { title: 'OpenAiConversation' },
)

export const DeletedConversation = Type.Object(
  {
    id: Type.String({ description: 'ID of the deleted conversation.' }),
    object: Enum(['conversation.deleted'], { description: 'Always `conversation.deleted`.' }),
    deleted: Type.Boolean({ description: 'Always true.' }),
  },
  { title: 'OpenAiDeletedConversation' },
)

export const ConversationItem = Type.Object(
  {
    id: Type.String({ description: 'ID of the item.' }),
    type: Type.String({ description: 'Type of the item, such as `message`.' }),
  },
  { title: 'OpenAiConversationItem', additionalProperties: true },
)
