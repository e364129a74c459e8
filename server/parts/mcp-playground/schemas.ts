import Type, { type Static } from 'typebox'
import {
  Body,
  CreatedAt,
  described,
  Enum,
  FailedReply,
  messageText,
  Nullable,
  Uuid,
} from '#platform/http/schemas.ts'
import { MESSAGES_MAX } from './memory.ts'

/** Maximum length of a message. Chat messages have the same limit. */
const CONTENT_CHARACTERS_MAX = 1_000_000
const INSTANCES_MAX = 20
const MODEL_CHARACTERS_MAX = 200

export const PlaygroundMessage = Body({
  content: messageText(CONTENT_CHARACTERS_MAX),
  mcp_instance_ids: Type.Optional(
    Type.Array(Uuid, {
      maxItems: INSTANCES_MAX,
      uniqueItems: true,
      description: 'IDs of connections whose tools the model can call. Empty means the same as absent.',
    }),
  ),
  model: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MODEL_CHARACTERS_MAX,
      description: 'Name of the model. Begins with gpt, o1, claude, deepseek or gemini.',
    }),
  ),
})
export type PlaygroundMessage = Static<typeof PlaygroundMessage>

const Call = {
  id: Type.String({ description: 'ID of the call.' }),
  name: Type.String({ description: 'Name of the called tool.' }),
  input: Type.Object({}, { description: 'Arguments of the call.' }),
}
const StartedCall = Type.Object({
  ...Call,
  output: Type.Null({ description: 'Always null: the call has not ended.' }),
})
const EndedCall = Type.Object({
  ...Call,
  successful: Type.Boolean({ description: 'Whether the call succeeded.' }),
  error: Nullable(Type.String({ description: 'Reason why the call failed; null if it did not.' })),
  output: Type.Object({}, { description: 'Result of the call.' }),
})

export const PlaygroundEvent = Type.Unsafe<object>({
  title: 'PlaygroundEvent',
  description: 'Data of an event. The last one is {"message":"DONE","tool":null} or {"error": …}.',
  anyOf: [
    Type.Object({
      message: Type.String({ description: 'Next piece of the reply; `DONE` at the end.' }),
      tool: Type.Null({ description: 'Always null.' }),
    }),
    Type.Object({
      message: Type.Literal('', { description: 'Always empty.' }),
      tool: described(StartedCall, 'A tool call that started.'),
    }),
    Type.Object({
      message: Type.Literal('', { description: 'Always empty.' }),
      tool: described(EndedCall, 'A tool call that ended.'),
    }),
    Type.Object({
      mcp: Type.Object(
        { server_ids: Type.Array(Uuid, { description: 'IDs of the recommended servers.' }) },
        { description: 'Recommended servers.' },
      ),
      message: Type.Literal('', { description: 'Always empty.' }),
    }),
    FailedReply,
  ],
})

export const MemoryView = Type.Array(
  Type.Object(
    {
      role: Enum(['user', 'assistant'], { description: 'Author of the message.' }),
      content: Type.String({ description: 'Text of the message.' }),
      created_at: CreatedAt,
    },
    { title: 'PlaygroundMemoryEntry' },
  ),
  { maxItems: MESSAGES_MAX },
)
export type MemoryView = Static<typeof MemoryView>
