import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import { described, Enum, matching, Nullable } from '#platform/http/schemas.ts'

/*
 * Request bodies of OpenAI's API, as far as they are supported. Unknown fields are ignored, because clients send many
 * of them. Unsupported fields that would change the result are rejected (refused-fields.ts).
 */

export const open = <P extends TProperties>(
  properties: P,
  options: { title?: string; description?: string } = {},
) => Type.Object(properties, { ...options, additionalProperties: true })
export const optional = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

export const MESSAGES_MAX = 2_000
export const PARTS_MAX = 200
export const TOOLS_MAX = 128
const STOPS_MAX = 4
const TEXT_MAX = 4 * 1024 * 1024
export const ADDRESS_MAX = 20 * 1024 * 1024
const INPUTS_MAX = 2_048
const TOKENS_MAX = 8_192

export const Name = Type.String({ minLength: 1, maxLength: 200, description: 'Name of the model or schema.' })
export const Text = Type.String({ maxLength: TEXT_MAX })
export const ToolName = Type.String(
  matching('^[a-zA-Z0-9_-]{1,64}$', 'must have 1 to 64 letters, digits, - and _'),
)
export const JsonSchema = Type.Object({}, { additionalProperties: true })
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
  top_k: optional(Type.Integer({ minimum: 0, description: 'Only the K most likely tokens are considered.' })),
  min_p: optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Least probability of a token, relative to the most likely one.',
    }),
  ),
  seed: optional(Type.Integer({ description: 'Makes sampling repeatable, as far as the provider can.' })),
  frequency_penalty: optional(
    Type.Number({ minimum: -2, maximum: 2, description: 'Penalty for tokens that occurred often.' }),
  ),
  presence_penalty: optional(
    Type.Number({ minimum: -2, maximum: 2, description: 'Penalty for tokens that occurred at all.' }),
  ),
  logit_bias: optional(
    Type.Record(Type.String(), Type.Number({ minimum: -100, maximum: 100 }), {
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

const FunctionCall = open(
  {
    name: described(ToolName, 'Name of the function.'),
    arguments: described(Text, 'Arguments, as JSON text.'),
  },
  { description: 'The called function.' },
)

const ChatToolCall = open({
  id: Type.String({ maxLength: 500, description: 'ID of the tool call.' }),
  type: Type.Optional(Enum(['function'], { description: 'Always `function`.' })),
  function: FunctionCall,
})

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

const NamedTool = open({
  type: Enum(['function'], { description: 'Always `function`.' }),
  function: open(
    { name: described(ToolName, 'Name of the function.') },
    { description: 'The function to call.' },
  ),
})
type NamedTool = Static<typeof NamedTool>

const AllowedTools = open({
  type: Enum(['allowed_tools'], { description: 'Always `allowed_tools`.' }),
  allowed_tools: open(
    {
      mode: Enum(['auto', 'required'], { description: 'Whether the model must call one of the functions.' }),
      tools: Type.Array(NamedTool, {
        maxItems: TOOLS_MAX,
        description: 'Functions that the model can call.',
      }),
    },
    { description: 'The functions that the model can call.' },
  ),
})
type AllowedTools = Static<typeof AllowedTools>

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
      Type.Unsafe<(typeof CHOICES)[number] | NamedTool | AllowedTools>({
        anyOf: [Enum(CHOICES), NamedTool, AllowedTools],
        description:
          'Whether the model calls tools, the function that it must call, or the functions to choose from.',
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
        description:
          'Maximum number of tokens of the reply; -1 for no limit. Older name of `max_completion_tokens`.',
      }),
    ),
    max_completion_tokens: optional(
      Type.Integer({
        minimum: 1,
        description: 'Maximum number of tokens of the reply, including reasoning.',
      }),
    ),
    stop: Stop,
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

const Tokens = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1, maxItems: TOKENS_MAX })

export const EmbeddingRequest = open(
  {
    model: described(Name, 'ID of an embedding model, from `/openai/v1/models`.'),
    input: Type.Unsafe<string | string[] | number[] | number[][]>({
      anyOf: [
        Type.String({ minLength: 1, maxLength: TEXT_MAX }),
        Type.Array(Type.String({ minLength: 1, maxLength: TEXT_MAX }), { minItems: 1, maxItems: INPUTS_MAX }),
        Tokens,
        Type.Array(Tokens, { minItems: 1, maxItems: INPUTS_MAX }),
      ],
      description:
        'Text, or up to 2,048 texts, to embed. Also tokens of the encoding cl100k_base instead of texts.',
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
      description: 'The reply, as a list of one choice.',
    }),
    usage: Usage,
  },
  { title: 'OpenAiChatCompletion' },
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

export const ModelParams = Type.Object({
  model: Type.String({ minLength: 1, maxLength: 200, description: 'Name or ID of the model or agent.' }),
})

export const Model = Type.Object(
  {
    id: Type.String({ description: 'Value for `model` in requests.' }),
    object: Enum(['model'], { description: 'Always `model`.' }),
    created: Type.Integer({ description: 'When the model was created, in Unix seconds.' }),
    owned_by: Type.String({ description: 'Provider of the model, or `agent` for an agent.' }),
  },
  { title: 'OpenAiModel' },
)

export const ModelList = Type.Object(
  {
    object: Enum(['list'], { description: 'Always `list`.' }),
    data: Type.Array(Model, { description: 'Models and agents that the caller can use.' }),
  },
  { title: 'OpenAiModelList' },
)
export type ModelList = Static<typeof ModelList>
