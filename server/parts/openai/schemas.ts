import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import { described, Enum, matching, Nullable } from '#platform/http/schemas.ts'

/*
 * Request bodies of OpenAI's API, as far as they are supported. Unknown fields are accepted, because clients send many
 * of them (review-parameters.ts). Unsupported fields that would change the result are rejected (refused-fields.ts).
 */

/** Maximum number of fields of an object, including those that are ignored. */
const FIELDS_MAX = 10_000

export const open = <P extends TProperties>(
  properties: P,
  options: { title?: string; description?: string } = {},
) => Type.Object(properties, { ...options, additionalProperties: true, maxProperties: FIELDS_MAX })
export const optional = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

export const MESSAGES_MAX = 2_000
export const PARTS_MAX = 200
export const TOOLS_MAX = 128
const STOPS_MAX = 4
const CHOICES_MAX = 8
export const TEXT_MAX = 4 * 1024 * 1024
export const ADDRESS_MAX = 20 * 1024 * 1024
/** Maximum of a number of tokens or calls: the largest that JSON readers keep exactly. Providers have lower limits. */
export const COUNT_MAX = Number.MAX_SAFE_INTEGER
/** Seeds have 64 bits in OpenAI's API. */
const SEED_MAX = 2 ** 63

export const Name = Type.String({ minLength: 1, maxLength: 200, description: 'Name of the model or schema.' })
export const Text = Type.String({ maxLength: TEXT_MAX })
export const ToolName = Type.String(
  matching('^[a-zA-Z0-9_-]{1,64}$', 'must have 1 to 64 letters, digits, - and _'),
)
export const JsonSchema = open({})
export const Sampling = {
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

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export const VERBOSITIES = ['low', 'medium', 'high'] as const
export const LOGPROBS_MAX = 20

/** Parameters that some providers accept. */
export const Rarer = {
  top_k: optional(
    Type.Integer({
      minimum: 0,
      maximum: COUNT_MAX,
      description: 'Only the K most likely tokens are considered.',
    }),
  ),
  min_p: optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Least probability of a token, relative to the most likely one.',
    }),
  ),
  seed: optional(
    Type.Integer({
      minimum: -SEED_MAX,
      maximum: SEED_MAX,
      description: 'Makes sampling repeatable, as far as the provider can.',
    }),
  ),
  frequency_penalty: optional(
    Type.Number({ minimum: -2, maximum: 2, description: 'Penalty for tokens that occurred often.' }),
  ),
  presence_penalty: optional(
    Type.Number({ minimum: -2, maximum: 2, description: 'Penalty for tokens that occurred at all.' }),
  ),
  logit_bias: optional(
    Type.Record(Type.String(), Type.Number({ minimum: -100, maximum: 100 }), {
      maxProperties: FIELDS_MAX,
      description: 'Bias of tokens, by token ID.',
    }),
  ),
}

/** Hints that do not change the reply. */
export const Hints = {
  user: optional(Type.String({ maxLength: 500, description: 'Pseudonym of the end user.' })),
  safety_identifier: optional(
    Type.String({ maxLength: 500, description: 'Pseudonym of the end user, for abuse detection.' }),
  ),
  prompt_cache_key: optional(
    Type.String({ maxLength: 500, description: 'Groups requests that share a prompt, for the cache.' }),
  ),
  service_tier: optional(Type.String({ maxLength: 50, description: 'Processing tier of the provider.' })),
  metadata: optional(described(JsonSchema, 'Metadata of the client.')),
}

export const Stop = optional(
  Type.Unsafe<string | string[]>({
    anyOf: [
      Type.String({ minLength: 1, maxLength: 1_000 }),
      Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), { maxItems: STOPS_MAX }),
    ],
    description: 'Sequence, or up to 4 sequences, at which the reply stops.',
  }),
)

export const StreamOptions = optional(
  open(
    {
      include_usage: Type.Optional(
        Type.Boolean({ description: 'Whether the last chunk reports the usage.' }),
      ),
    },
    { description: 'Options of the stream.' },
  ),
)

const ChatPart = open({
  type: Type.String({
    maxLength: 50,
    description: 'Type of the part: `text`, `image_url`, `file` or `input_audio`.',
  }),
  text: Type.Optional(described(Text, 'Text of the part.')),
  refusal: Type.Optional(described(Text, 'Text of a part of type `refusal`.')),
  image_url: Type.Optional(
    Type.Unsafe<string | { url: string }>({
      anyOf: [
        Type.String({ maxLength: ADDRESS_MAX }),
        open({ url: Type.String({ maxLength: ADDRESS_MAX, description: 'URL or data URL of the image.' }) }),
      ],
      description: 'Image of a part of type `image_url`: a URL or data URL, or an object with it.',
    }),
  ),
  file: Type.Optional(
    open(
      {
        file_data: optional(Type.String({ maxLength: ADDRESS_MAX, description: 'Data URL of the file.' })),
        filename: optional(Type.String({ maxLength: 500, description: 'Name of the file.' })),
        file_id: optional(Type.String({ maxLength: 100, description: 'ID of an upload of the caller.' })),
      },
      { description: 'File of a part of type `file`. The model receives its text.' },
    ),
  ),
  input_audio: Type.Optional(
    open(
      {
        data: Type.String({ maxLength: ADDRESS_MAX, description: 'The recording in base64.' }),
        format: Enum(['wav', 'mp3'], { description: 'Format of the recording.' }),
      },
      { description: 'Recording of a part of type `input_audio`.' },
    ),
  ),
})

export type ChatPart = Static<typeof ChatPart>

const TOOL_TYPE = 'Type of the tool: `function` or `custom`.'

const FunctionCall = open(
  {
    name: described(ToolName, 'Name of the function.'),
    arguments: described(Text, 'Arguments, as JSON text.'),
  },
  { description: 'The called function.' },
)

const ChatToolCall = open({
  id: Type.String({ maxLength: 500, description: 'ID of the tool call.' }),
  type: Type.Optional(Enum(['function', 'custom'], { description: TOOL_TYPE })),
  function: Type.Optional(FunctionCall),
  custom: Type.Optional(
    open(
      {
        name: described(ToolName, 'Name of the custom tool.'),
        input: described(Text, 'Input of the call, as plain text.'),
      },
      { description: 'The called custom tool.' },
    ),
  ),
})
export type ChatToolCall = Static<typeof ChatToolCall>

export const ChatMessage = open(
  {
    role: Enum(['system', 'developer', 'user', 'assistant', 'tool', 'function'], {
      description: 'Author of the message.',
    }),
    content: optional(
      Type.Unsafe<string | Static<typeof ChatPart>[]>({
        anyOf: [Text, Type.Array(ChatPart, { maxItems: PARTS_MAX })],
        description: 'Text, or a list of parts; null for a message with tool calls only.',
      }),
    ),
    refusal: optional(described(Text, 'Text with which the model declined.')),
    tool_calls: optional(
      Type.Array(ChatToolCall, { maxItems: TOOLS_MAX, description: 'Tool calls of an assistant message.' }),
    ),
    tool_call_id: Type.Optional(
      Type.String({ maxLength: 500, description: 'ID of the tool call that a tool message answers.' }),
    ),
    function_call: optional(described(FunctionCall, 'Older form of `tool_calls`, with one call.')),
  },
  { title: 'OpenAiMessage' },
)
export type ChatMessage = Static<typeof ChatMessage>

export const FunctionOfTool = {
  name: described(ToolName, 'Name of the function.'),
  description: optional(described(Text, 'Description of the function for the model.')),
  parameters: optional(described(JsonSchema, 'Parameters, as a JSON Schema.')),
  strict: optional(Type.Boolean({ description: 'Whether arguments must match the schema.' })),
}

export const CHOICES = ['auto', 'none', 'required'] as const

const HOSTED_TOO = `${TOOL_TYPE} Tools of other types, which OpenAI runs, are ignored.`
const Grammar = open({
  grammar: optional(
    open(
      {
        syntax: optional(Type.String({ maxLength: 50, description: 'Syntax of the grammar.' })),
        definition: optional(described(Text, 'The grammar.')),
      },
      { description: 'Grammar of the input.' },
    ),
  ),
})

const ChatTool = open({
  type: Type.String({ maxLength: 100, description: HOSTED_TOO }),
  function: optional(open(FunctionOfTool, { description: 'The function.' })),
  custom: optional(
    open(
      {
        name: described(ToolName, 'Name of the custom tool.'),
        description: optional(described(Text, 'Description of the custom tool for the model.')),
        format: optional(described(Grammar, 'Format of the input.')),
      },
      { description: 'The custom tool, which takes any text.' },
    ),
  ),
})
export type ChatTool = Static<typeof ChatTool>

const Named = optional(open({ name: described(ToolName, 'Name of the tool.') }))
const NamedTool = {
  type: Type.String({ maxLength: 100, description: TOOL_TYPE }),
  function: described(Named, 'The function to call.'),
  custom: described(Named, 'The custom tool to call.'),
}
const ToolChoice = open({
  ...NamedTool,
  allowed_tools: optional(
    open(
      {
        mode: Enum(['auto', 'required'], { description: 'Whether the model must call one of the tools.' }),
        tools: Type.Array(open(NamedTool), {
          maxItems: TOOLS_MAX,
          description: 'Tools that the model can call.',
        }),
      },
      { description: 'The tools that the model can call, for the type `allowed_tools`.' },
    ),
  ),
})
type ToolChoice = Static<typeof ToolChoice>

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
      Type.Array(ChatTool, { maxItems: TOOLS_MAX, description: 'Tools that the model can call.' }),
    ),
    tool_choice: optional(
      Type.Unsafe<(typeof CHOICES)[number] | ToolChoice>({
        anyOf: [Enum(CHOICES), ToolChoice],
        description:
          'Whether the model calls tools, the tool that it must call, or the tools to choose from.',
      }),
    ),
    functions: optional(
      Type.Array(open(FunctionOfTool), { maxItems: TOOLS_MAX, description: 'Older form of `tools`.' }),
    ),
    function_call: optional(
      Type.Unsafe<'auto' | 'none' | { name: string }>({
        anyOf: [Enum(['auto', 'none']), open({ name: described(ToolName, 'Name of the function.') })],
        description: 'Older form of `tool_choice`.',
      }),
    ),
    ...Sampling,
    max_tokens: optional(
      Type.Integer({
        minimum: -1,
        maximum: COUNT_MAX,
        description:
          'Maximum number of tokens of the reply; -1 for no limit. Older name of `max_completion_tokens`.',
      }),
    ),
    max_completion_tokens: optional(
      Type.Integer({
        minimum: 1,
        maximum: COUNT_MAX,
        description: 'Maximum number of tokens of the reply, including reasoning.',
      }),
    ),
    stop: Stop,
    n: optional(
      Type.Integer({
        minimum: 1,
        maximum: CHOICES_MAX,
        description: 'Number of replies, each of which is a call of its own.',
      }),
    ),
    response_format: optional(described(Format, 'Format of the reply.')),
    reasoning_effort: optional(Enum(EFFORTS, { description: 'Reasoning effort.' })),
    verbosity: optional(Enum(VERBOSITIES, { description: 'Length of the reply.' })),
    logprobs: optional(Type.Boolean({ description: 'Whether to return the log probability of each token.' })),
    top_logprobs: optional(
      Type.Integer({
        minimum: 0,
        maximum: LOGPROBS_MAX,
        description: 'Number of alternatives per token, with `logprobs`.',
      }),
    ),
    ...Rarer,
    ...Hints,
    stream_options: StreamOptions,
  },
  { title: 'OpenAiChatCompletionRequest' },
)
export type ChatCompletionRequest = Static<typeof ChatCompletionRequest>

export const Usage = Type.Object(
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
      description: 'The replies, by `n`.',
    }),
    usage: Usage,
  },
  { title: 'OpenAiChatCompletion' },
)
