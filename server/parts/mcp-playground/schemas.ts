import Type, { type Static } from 'typebox'
import { Body, Enum, Nullable, Timestamp, Uuid } from '#platform/http/schemas.ts'
import { MESSAGES_MAX } from './memory.ts'

/** As much as a message of a chat may have. */
const CONTENT_CHARACTERS_MAX = 1_000_000
const INSTANCES_MAX = 20
const MODEL_CHARACTERS_MAX = 200

export const PlaygroundMessage = Body({
  content: Type.String({ minLength: 1, maxLength: CONTENT_CHARACTERS_MAX }),
  mcp_instance_ids: Type.Optional(
    Type.Array(Uuid, {
      maxItems: INSTANCES_MAX,
      uniqueItems: true,
      description: 'The connections whose tools the model has; none is as if this was absent',
    }),
  ),
  model: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MODEL_CHARACTERS_MAX,
      description: 'Begins with gpt, o1, claude, deepseek or gemini',
    }),
  ),
})
export type PlaygroundMessage = Static<typeof PlaygroundMessage>

const Call = { id: Type.String(), name: Type.String(), input: Type.Object({}) }
const StartedCall = Type.Object({ ...Call, output: Type.Null() })
const EndedCall = Type.Object({
  ...Call,
  successful: Type.Boolean(),
  error: Nullable(Type.String()),
  output: Type.Object({}),
})

export const PlaygroundEvent = Type.Unsafe<object>({
  title: 'PlaygroundEvent',
  description: 'What stands behind `data:`; the last one is {"message":"DONE","tool":null} or {"error": …}.',
  anyOf: [
    Type.Object({ message: Type.String(), tool: Type.Null() }),
    Type.Object({ message: Type.Literal(''), tool: StartedCall }),
    Type.Object({ message: Type.Literal(''), tool: EndedCall }),
    Type.Object({ mcp: Type.Object({ server_ids: Type.Array(Uuid) }), message: Type.Literal('') }),
    Type.Object({ error: Type.String() }),
  ],
})

export const MemoryView = Type.Array(
  Type.Object(
    { role: Enum(['user', 'assistant']), content: Type.String(), created_at: Timestamp },
    { title: 'PlaygroundMemoryEntry' },
  ),
  { maxItems: MESSAGES_MAX },
)
export type MemoryView = Static<typeof MemoryView>
