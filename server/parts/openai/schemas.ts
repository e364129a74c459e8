import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import { described, Enum, matching, Nullable } from '#platform/http/schemas.ts'

/*
 * Request bodies of OpenAI's API, as far as they are supported. Unknown fields are ignored, because clients send many
 * of them. Unsupported fields that would change the result are rejected (refused-fields.ts).
 */

const open = <P extends TProperties>(properties: P, options: { title?: string; description?: string } = {}) =>
  Type.Object(properties, { ...options, additionalProperties: true })
const optional = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

const MESSAGES_MAX = 2_000
const PARTS_MAX = 200
const TOOLS_MAX = 128
const STOPS_MAX = 4
const TEXT_MAX = 4 * 1024 * 1024
const ADDRESS_MAX = 20 * 1024 * 1024
const INPUTS_MAX = 2_048

const Name = Type.String({ minLength: 1, maxLength: 200, description: 'Name of the model or schema.' })
const Text = Type.String({ maxLength: TEXT_MAX })
const ToolName = Type.String(matching('^[a-zA-Z0-9_-]{1,64}$', 'must have 1 to 64 letters, digits, - and _'))
const JsonSchema = Type.Object({}, { additionalProperties: true })
const Sampling = {
  temperature: optional(
    Type.Number({ minimum: 0, maximum: 2, description: 'Sampling temperature; null for the default.' }),
  ),
  top_p: optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Nucleus sampling: share of probability mass to sample from; null for the default.',
    }),
  ),
  parallel_tool_calls: optional(
    Type.Boolean({ description: 'Whether the model can call several tools at the same time.' }),
  ),
  stream: optional(Type.Boolean({ description: 'Whether to stream the response as Server-Sent Events.' })),
}

const ChatPart = open({
  type: Type.String({ maxLength: 50, description: 'Type of the part: `text` or `image_url`.' }),
  text: Type.Optional(described(Text, 'Text of the part.')),
  image_url: Type.Optional(
    open(
      { url: Type.String({ maxLength: ADDRESS_MAX, description: 'URL or data URL of the image.' }) },
      { description: 'Image of a part of type `image_url`.' },
    ),
  ),
})

export type ChatPart = Static<typeof ChatPart>

const ChatToolCall = open({
  id: Type.String({ maxLength: 500, description: 'ID of the tool call.' }),
  type: Type.Optional(Enum(['function'], { description: 'Always `function`.' })),
  function: open(
    {
      name: described(ToolName, 'Name of the function.'),
      arguments: described(Text, 'Arguments, as JSON text.'),
    },
    { description: 'The called function.' },
  ),
})

export const ChatMessage = open(
  {
    role: Enum(['system', 'developer', 'user', 'assistant', 'tool'], {
      description: 'Author of the message.',
    }),
    content: optional(
      Type.Unsafe<string | Static<typeof ChatPart>[]>({
        anyOf: [Text, Type.Array(ChatPart, { maxItems: PARTS_MAX })],
        description: 'Text, or a list of parts; null for a message with tool calls only.',
      }),
    ),
    tool_calls: optional(
      Type.Array(ChatToolCall, { maxItems: TOOLS_MAX, description: 'Tool calls of an assistant message.' }),
    ),
    tool_call_id: Type.Optional(
      Type.String({ maxLength: 500, description: 'ID of the tool call that a tool message answers.' }),
    ),
  },
  { title: 'OpenAiMessage' },
)
export type ChatMessage = Static<typeof ChatMessage>

const FunctionOfTool = {
  name: described(ToolName, 'Name of the function.'),
  description: optional(described(Text, 'Description of the function for the model.')),
  parameters: optional(described(JsonSchema, 'Parameters, as a JSON Schema.')),
  strict: optional(Type.Boolean({ description: 'Whether arguments must match the schema.' })),
}

const CHOICES = ['auto', 'none', 'required'] as const

const Format = Type.Union([
  open({ type: Enum(['text', 'json_object'], { description: 'Type of the output.' }) }),
  open({
    type: Enum(['json_schema'], { description: 'Output that matches a JSON Schema.' }),
    json_schema: open(
      {
        name: described(Name, 'Name of the schema.'),
        schema: Type.Optional(described(JsonSchema, 'The JSON Schema.')),
        strict: optional(Type.Boolean({ description: 'Whether the output must match the schema.' })),
      },
      { description: 'Schema of the output.' },
    ),
  }),
])

export const ChatCompletionRequest = open(
  {
    model: described(Name, 'ID of a model or agent, from `/openai/v1/models`.'),
    messages: Type.Array(ChatMessage, {
      minItems: 1,
      maxItems: MESSAGES_MAX,
      description: 'Messages of the conversation, oldest first.',
    }),
    tools: optional(
      Type.Array(
        open({
          type: Enum(['function'], { description: 'Always `function`.' }),
          function: open(FunctionOfTool, { description: 'The function.' }),
        }),
        { maxItems: TOOLS_MAX, description: 'Functions that the model can call.' },
      ),
    ),
    tool_choice: optional(
      Type.Unsafe<(typeof CHOICES)[number] | { type: 'function'; function: { name: string } }>({
        anyOf: [
          Enum(CHOICES),
          open({
            type: Enum(['function'], { description: 'Always `function`.' }),
            function: open(
              { name: described(ToolName, 'Name of the function.') },
              { description: 'The function to call.' },
            ),
          }),
        ],
        description: 'Whether the model calls tools, or the function that it must call.',
      }),
    ),
    ...Sampling,
    max_tokens: optional(
      Type.Integer({
        minimum: 1,
        description: 'Maximum number of tokens of the reply. Older name of `max_completion_tokens`.',
      }),
    ),
    max_completion_tokens: optional(
      Type.Integer({
        minimum: 1,
        description: 'Maximum number of tokens of the reply, including reasoning.',
      }),
    ),
    stop: optional(
      Type.Unsafe<string | string[]>({
        anyOf: [
          Type.String({ minLength: 1, maxLength: 1_000 }),
          Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), { maxItems: STOPS_MAX }),
        ],
        description: 'Sequence, or up to 4 sequences, at which the reply stops.',
      }),
    ),
    response_format: optional(described(Format, 'Format of the reply.')),
    reasoning_effort: optional(
      Type.String({ maxLength: 50, description: 'Reasoning effort, such as `low` or `high`.' }),
    ),
    stream_options: optional(
      open(
        {
          include_usage: Type.Optional(
            Type.Boolean({ description: 'Whether the last chunk reports the usage.' }),
          ),
        },
        { description: 'Options of the stream.' },
      ),
    ),
  },
  { title: 'OpenAiChatCompletionRequest' },
)
export type ChatCompletionRequest = Static<typeof ChatCompletionRequest>

const ResponsePart = open({
  type: Type.String({
    maxLength: 50,
    description: 'Type of the part, such as `input_text` or `input_image`.',
  }),
  text: Type.Optional(described(Text, 'Text of the part.')),
  image_url: optional(Type.String({ maxLength: ADDRESS_MAX, description: 'URL or data URL of the image.' })),
})

export type ResponsePart = Static<typeof ResponsePart>

export const ResponseItem = open(
  {
    type: Type.Optional(
      Type.String({
        maxLength: 50,
        description: 'Type of the item, such as `message` or `function_call_output`.',
      }),
    ),
    role: Type.Optional(
      Enum(['system', 'developer', 'user', 'assistant'], { description: 'Author of a message.' }),
    ),
    content: optional(
      Type.Unsafe<string | Static<typeof ResponsePart>[]>({
        anyOf: [Text, Type.Array(ResponsePart, { maxItems: PARTS_MAX })],
        description: 'Text of a message, or a list of parts.',
      }),
    ),
    call_id: Type.Optional(Type.String({ maxLength: 500, description: 'ID of the function call.' })),
    name: Type.Optional(described(ToolName, 'Name of the called function.')),
    arguments: Type.Optional(described(Text, 'Arguments of the call, as JSON text.')),
    output: Type.Optional(
      Type.Unsafe<string | Static<typeof ResponsePart>[]>({
        anyOf: [Text, Type.Array(ResponsePart, { maxItems: PARTS_MAX })],
        description: 'Result of the function call.',
      }),
    ),
  },
  { title: 'OpenAiResponseItem' },
)
export type ResponseItem = Static<typeof ResponseItem>

export const ResponseRequest = open(
  {
    model: described(Name, 'ID of a model or agent, from `/openai/v1/models`.'),
    input: Type.Unsafe<string | ResponseItem[]>({
      anyOf: [Text, Type.Array(ResponseItem, { minItems: 1, maxItems: MESSAGES_MAX })],
      description: 'Text, or a list of items.',
    }),
    instructions: optional(described(Text, 'System prompt.')),
    tools: optional(
      Type.Array(
        open({ type: Enum(['function'], { description: 'Always `function`.' }), ...FunctionOfTool }),
        { maxItems: TOOLS_MAX, description: 'Functions that the model can call.' },
      ),
    ),
    tool_choice: optional(
      Type.Unsafe<(typeof CHOICES)[number] | { type: 'function'; name: string }>({
        anyOf: [
          Enum(CHOICES),
          open({
            type: Enum(['function'], { description: 'Always `function`.' }),
            name: described(ToolName, 'Name of the function.'),
          }),
        ],
        description: 'Whether the model calls tools, or the function that it must call.',
      }),
    ),
    ...Sampling,
    max_output_tokens: optional(
      Type.Integer({
        minimum: 1,
        description: 'Maximum number of tokens of the reply, including reasoning.',
      }),
    ),
    reasoning: optional(
      open(
        {
          effort: optional(
            Type.String({ maxLength: 50, description: 'Reasoning effort, such as `low` or `high`.' }),
          ),
        },
        { description: 'Options of the reasoning.' },
      ),
    ),
    text: optional(
      open(
        {
          format: Type.Optional(
            Type.Union(
              [
                open({ type: Enum(['text', 'json_object'], { description: 'Type of the output.' }) }),
                open({
                  type: Enum(['json_schema'], { description: 'Output that matches a JSON Schema.' }),
                  name: described(Name, 'Name of the schema.'),
                  schema: described(JsonSchema, 'The JSON Schema.'),
                  strict: optional(
                    Type.Boolean({ description: 'Whether the output must match the schema.' }),
                  ),
                }),
              ],
              { description: 'Format of the text output.' },
            ),
          ),
        },
        { description: 'Options of the text output.' },
      ),
    ),
    metadata: optional(
      described(JsonSchema, 'Metadata of the client. Returned with the response, with no other effect.'),
    ),
  },
  { title: 'OpenAiResponseRequest' },
)
export type ResponseRequest = Static<typeof ResponseRequest>

export const EmbeddingRequest = open(
  {
    model: described(Name, 'ID of an embedding model, from `/openai/v1/models`.'),
    input: Type.Unsafe<string | string[]>({
      anyOf: [
        Type.String({ minLength: 1, maxLength: TEXT_MAX }),
        Type.Array(Type.String({ minLength: 1, maxLength: TEXT_MAX }), { minItems: 1, maxItems: INPUTS_MAX }),
      ],
      description: 'Text, or up to 2,048 texts, to embed.',
    }),
    encoding_format: optional(
      Enum(['float', 'base64'], { description: 'Encoding of the vectors. Default: float.' }),
    ),
    dimensions: optional(
      Type.Integer({ minimum: 1, description: "Number of dimensions; null for the model's own." }),
    ),
  },
  { title: 'OpenAiEmbeddingRequest' },
)
export type EmbeddingRequest = Static<typeof EmbeddingRequest>

const Usage = Type.Object(
  {},
  { additionalProperties: Type.Unknown(), description: 'Token usage, as OpenAI reports it.' },
)

export const ChatCompletion = Type.Object(
  {
    id: Type.String({ description: 'Unique identifier of the completion.' }),
    object: Enum(['chat.completion'], { description: 'Always `chat.completion`.' }),
    created: Type.Integer({ description: 'When the completion was created, in Unix seconds.' }),
    model: Type.String({ description: 'ID of the model or agent.' }),
    choices: Type.Array(Type.Object({}, { additionalProperties: true }), {
      description: 'The reply, as a list of one choice.',
    }),
    usage: Usage,
  },
  { title: 'OpenAiChatCompletion' },
)

export const Response = Type.Object(
  {
    id: Type.String({ description: 'Unique identifier of the response.' }),
    object: Enum(['response'], { description: 'Always `response`.' }),
    created_at: Type.Integer({ description: 'When the response was created, in Unix seconds.' }),
    status: Enum(['completed', 'incomplete', 'in_progress', 'failed'], {
      description: 'Status of the response.',
    }),
    model: Type.String({ description: 'ID of the model or agent.' }),
    output: Type.Array(Type.Object({}, { additionalProperties: true }), { description: 'Output items.' }),
    usage: Nullable(Usage),
  },
  { title: 'OpenAiResponse', additionalProperties: true },
)

export const EmbeddingList = Type.Object(
  {
    object: Enum(['list'], { description: 'Always `list`.' }),
    data: Type.Array(
      Type.Object({
        object: Enum(['embedding'], { description: 'Always `embedding`.' }),
        index: Type.Integer({ description: 'Index of the input, from 0.' }),
        embedding: Type.Unsafe<number[] | string>({
          anyOf: [Type.Array(Type.Number()), Type.String()],
          description: 'The vector: numbers, or base64 of little-endian floats.',
        }),
      }),
      { description: 'One embedding per input, in order.' },
    ),
    model: Type.String({ description: 'ID of the model.' }),
    usage: Type.Object(
      {
        prompt_tokens: Type.Integer({ description: 'Tokens of the inputs.' }),
        total_tokens: Type.Integer({ description: 'Tokens of the inputs.' }),
      },
      { description: 'Token usage.' },
    ),
  },
  { title: 'OpenAiEmbeddingList' },
)

export const ModelList = Type.Object(
  {
    object: Enum(['list'], { description: 'Always `list`.' }),
    data: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Value for `model` in requests.' }),
        object: Enum(['model'], { description: 'Always `model`.' }),
        created: Type.Integer({ description: 'When the model was created, in Unix seconds.' }),
        owned_by: Type.String({ description: 'Provider of the model, or `agent` for an agent.' }),
      }),
      { description: 'Models and agents that the caller can use.' },
    ),
  },
  { title: 'OpenAiModelList' },
)
export type ModelList = Static<typeof ModelList>
