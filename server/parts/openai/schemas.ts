import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import { Enum, matching, Nullable } from '#platform/http/schemas.ts'

/*
 * The bodies of OpenAI's API, as far as they are known here. Fields that nobody here knows are let through unread, as
 * clients send many; those that would change the answer in a way that is not to be had are refused (refused-fields.ts).
 */

const open = <P extends TProperties>(properties: P, options: { title?: string } = {}) =>
  Type.Object(properties, { ...options, additionalProperties: true })
const optional = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

const MESSAGES_MAX = 2_000
const PARTS_MAX = 200
const TOOLS_MAX = 128
const STOPS_MAX = 4
const TEXT_MAX = 4 * 1024 * 1024
const ADDRESS_MAX = 20 * 1024 * 1024
const INPUTS_MAX = 2_048

const Name = Type.String({ minLength: 1, maxLength: 200 })
const Text = Type.String({ maxLength: TEXT_MAX })
const ToolName = Type.String(matching('^[a-zA-Z0-9_-]{1,64}$', 'must have 1 to 64 letters, digits, - and _'))
const JsonSchema = Type.Object({}, { additionalProperties: true })
const Sampling = {
  temperature: optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
  parallel_tool_calls: optional(Type.Boolean()),
  stream: optional(Type.Boolean()),
}

const ChatPart = open({
  type: Type.String({ maxLength: 50 }),
  text: Type.Optional(Text),
  image_url: Type.Optional(open({ url: Type.String({ maxLength: ADDRESS_MAX }) })),
})

export type ChatPart = Static<typeof ChatPart>

const ChatToolCall = open({
  id: Type.String({ maxLength: 500 }),
  type: Type.Optional(Enum(['function'])),
  function: open({ name: ToolName, arguments: Text }),
})

export const ChatMessage = open(
  {
    role: Enum(['system', 'developer', 'user', 'assistant', 'tool']),
    content: optional(
      Type.Unsafe<string | Static<typeof ChatPart>[]>({
        anyOf: [Text, Type.Array(ChatPart, { maxItems: PARTS_MAX })],
      }),
    ),
    tool_calls: optional(Type.Array(ChatToolCall, { maxItems: TOOLS_MAX })),
    tool_call_id: Type.Optional(Type.String({ maxLength: 500 })),
  },
  { title: 'OpenAiMessage' },
)
export type ChatMessage = Static<typeof ChatMessage>

const FunctionOfTool = {
  name: ToolName,
  description: optional(Text),
  parameters: optional(JsonSchema),
  strict: optional(Type.Boolean()),
}

const CHOICES = ['auto', 'none', 'required'] as const

const Format = Type.Union([
  open({ type: Enum(['text', 'json_object']) }),
  open({
    type: Enum(['json_schema']),
    json_schema: open({ name: Name, schema: Type.Optional(JsonSchema), strict: optional(Type.Boolean()) }),
  }),
])

export const ChatCompletionRequest = open(
  {
    model: Name,
    messages: Type.Array(ChatMessage, { minItems: 1, maxItems: MESSAGES_MAX }),
    tools: optional(
      Type.Array(open({ type: Enum(['function']), function: open(FunctionOfTool) }), { maxItems: TOOLS_MAX }),
    ),
    tool_choice: optional(
      Type.Unsafe<(typeof CHOICES)[number] | { type: 'function'; function: { name: string } }>({
        anyOf: [Enum(CHOICES), open({ type: Enum(['function']), function: open({ name: ToolName }) })],
      }),
    ),
    ...Sampling,
    max_tokens: optional(Type.Integer({ minimum: 1 })),
    max_completion_tokens: optional(Type.Integer({ minimum: 1 })),
    stop: optional(
      Type.Unsafe<string | string[]>({
        anyOf: [
          Type.String({ minLength: 1, maxLength: 1_000 }),
          Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), { maxItems: STOPS_MAX }),
        ],
      }),
    ),
    response_format: optional(Format),
    reasoning_effort: optional(Type.String({ maxLength: 50 })),
    stream_options: optional(open({ include_usage: Type.Optional(Type.Boolean()) })),
  },
  { title: 'OpenAiChatCompletionRequest' },
)
export type ChatCompletionRequest = Static<typeof ChatCompletionRequest>

const ResponsePart = open({
  type: Type.String({ maxLength: 50 }),
  text: Type.Optional(Text),
  image_url: optional(Type.String({ maxLength: ADDRESS_MAX })),
})

export type ResponsePart = Static<typeof ResponsePart>

export const ResponseItem = open(
  {
    type: Type.Optional(Type.String({ maxLength: 50 })),
    role: Type.Optional(Enum(['system', 'developer', 'user', 'assistant'])),
    content: optional(
      Type.Unsafe<string | Static<typeof ResponsePart>[]>({
        anyOf: [Text, Type.Array(ResponsePart, { maxItems: PARTS_MAX })],
      }),
    ),
    call_id: Type.Optional(Type.String({ maxLength: 500 })),
    name: Type.Optional(ToolName),
    arguments: Type.Optional(Text),
    output: Type.Optional(
      Type.Unsafe<string | Static<typeof ResponsePart>[]>({
        anyOf: [Text, Type.Array(ResponsePart, { maxItems: PARTS_MAX })],
      }),
    ),
  },
  { title: 'OpenAiResponseItem' },
)
export type ResponseItem = Static<typeof ResponseItem>

export const ResponseRequest = open(
  {
    model: Name,
    input: Type.Unsafe<string | ResponseItem[]>({
      anyOf: [Text, Type.Array(ResponseItem, { minItems: 1, maxItems: MESSAGES_MAX })],
    }),
    instructions: optional(Text),
    tools: optional(
      Type.Array(open({ type: Enum(['function']), ...FunctionOfTool }), { maxItems: TOOLS_MAX }),
    ),
    tool_choice: optional(
      Type.Unsafe<(typeof CHOICES)[number] | { type: 'function'; name: string }>({
        anyOf: [Enum(CHOICES), open({ type: Enum(['function']), name: ToolName })],
      }),
    ),
    ...Sampling,
    max_output_tokens: optional(Type.Integer({ minimum: 1 })),
    reasoning: optional(open({ effort: optional(Type.String({ maxLength: 50 })) })),
    text: optional(
      open({
        format: Type.Optional(
          Type.Union([
            open({ type: Enum(['text', 'json_object']) }),
            open({
              type: Enum(['json_schema']),
              name: Name,
              schema: JsonSchema,
              strict: optional(Type.Boolean()),
            }),
          ]),
        ),
      }),
    ),
    metadata: optional(JsonSchema),
  },
  { title: 'OpenAiResponseRequest' },
)
export type ResponseRequest = Static<typeof ResponseRequest>

export const EmbeddingRequest = open(
  {
    model: Name,
    input: Type.Unsafe<string | string[]>({
      anyOf: [
        Type.String({ minLength: 1, maxLength: TEXT_MAX }),
        Type.Array(Type.String({ minLength: 1, maxLength: TEXT_MAX }), { minItems: 1, maxItems: INPUTS_MAX }),
      ],
    }),
    encoding_format: optional(Enum(['float', 'base64'])),
    dimensions: optional(Type.Integer({ minimum: 1 })),
  },
  { title: 'OpenAiEmbeddingRequest' },
)
export type EmbeddingRequest = Static<typeof EmbeddingRequest>

const Usage = Type.Object({}, { additionalProperties: Type.Unknown() })

export const ChatCompletion = Type.Object(
  {
    id: Type.String(),
    object: Enum(['chat.completion']),
    created: Type.Integer(),
    model: Type.String(),
    choices: Type.Array(Type.Object({}, { additionalProperties: true })),
    usage: Usage,
  },
  { title: 'OpenAiChatCompletion' },
)

export const Response = Type.Object(
  {
    id: Type.String(),
    object: Enum(['response']),
    created_at: Type.Integer(),
    status: Enum(['completed', 'incomplete', 'in_progress', 'failed']),
    model: Type.String(),
    output: Type.Array(Type.Object({}, { additionalProperties: true })),
    usage: Nullable(Usage),
  },
  { title: 'OpenAiResponse', additionalProperties: true },
)

export const EmbeddingList = Type.Object(
  {
    object: Enum(['list']),
    data: Type.Array(
      Type.Object({
        object: Enum(['embedding']),
        index: Type.Integer(),
        embedding: Type.Unsafe<number[] | string>({
          anyOf: [Type.Array(Type.Number()), Type.String()],
        }),
      }),
    ),
    model: Type.String(),
    usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }),
  },
  { title: 'OpenAiEmbeddingList' },
)

export const ModelList = Type.Object(
  {
    object: Enum(['list']),
    data: Type.Array(
      Type.Object({
        id: Type.String({ description: 'What to give as model' }),
        object: Enum(['model']),
        created: Type.Integer({ description: 'Seconds since 1970' }),
        owned_by: Type.String({ description: 'The provider of a model; agent for an agent' }),
      }),
    ),
  },
  { title: 'OpenAiModelList' },
)
export type ModelList = Static<typeof ModelList>
