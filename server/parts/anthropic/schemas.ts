import Type, { type Static } from 'typebox'
import { described, Enum, matching } from '#platform/http/schemas.ts'
import { ADDRESS_MAX, COUNT_MAX, JsonSchema, Name, open, optional, Text } from '../openai/index.ts'

/*
 * Bodies of Anthropic's API, as far as they are supported. Unknown fields are ignored, because clients send many of
 * them. Unsupported blocks and tools are refused (read-request.ts).
 */

const MESSAGES_MAX = 2_000
const BLOCKS_MAX = 1_000
const TOOLS_MAX = 1_000
const STOPS_MAX = 16

const ToolName = Type.String(
  matching('^[a-zA-Z0-9_-]{1,128}$', 'must have 1 to 128 letters, digits, - and _'),
)

const CacheControl = optional(
  open(
    {
      type: Enum(['ephemeral'], { description: 'Always `ephemeral`.' }),
      ttl: optional(Enum(['5m', '1h'], { description: 'How long the provider caches the prompt.' })),
    },
    { description: 'Marks a prefix of the prompt for caching. Parley marks the prompt itself.' },
  ),
)

const TextBlock = open({
  type: Enum(['text'], { description: 'Always `text`.' }),
  text: described(Text, 'Text of the block.'),
  cache_control: CacheControl,
})

const Source = open(
  {
    type: Type.String({ maxLength: 50, description: 'Where the content is: `base64`, `url` or `text`.' }),
    media_type: Type.Optional(Type.String({ maxLength: 200, description: 'Media type of the content.' })),
    data: Type.Optional(
      Type.String({ maxLength: ADDRESS_MAX, description: 'The content: base64, or text.' }),
    ),
    url: Type.Optional(Type.String({ maxLength: 8_000, description: 'URL of the content.' })),
  },
  { description: 'Content of an image or document.' },
)
export type Source = Static<typeof Source>

const block = {
  type: Type.String({
    maxLength: 50,
    description:
      'Type of the block: `text`, `image`, `document`, `tool_use`, `tool_result`, `thinking` or `redacted_thinking`.',
  }),
  text: optional(described(Text, 'Text of a text block.')),
  source: Type.Optional(Source),
  title: optional(Type.String({ maxLength: 500, description: 'Title of a document.' })),
  context: optional(described(Text, 'Remarks on a document, for the model.')),
  citations: optional(
    open(
      { enabled: Type.Optional(Type.Boolean({ description: 'Must be false.' })) },
      { description: 'Citations of a document. Not supported.' },
    ),
  ),
  cache_control: CacheControl,
}

const InnerBlock = open(block)
export type InnerBlock = Static<typeof InnerBlock>

const Block = open({
  ...block,
  id: Type.Optional(Type.String({ maxLength: 500, description: 'ID of a tool call.' })),
  name: Type.Optional(described(ToolName, 'Name of the called tool.')),
  input: Type.Optional(described(JsonSchema, 'Input of a tool call.')),
  tool_use_id: Type.Optional(
    Type.String({ maxLength: 500, description: 'ID of the tool call of a tool result.' }),
  ),
  content: optional(
    Type.Unsafe<string | InnerBlock[]>({
      anyOf: [Text, Type.Array(InnerBlock, { maxItems: BLOCKS_MAX })],
      description: 'Text or blocks of a tool result.',
    }),
  ),
  is_error: optional(Type.Boolean({ description: 'Whether the tool failed.' })),
  thinking: Type.Optional(described(Text, 'Text of a thinking block.')),
  signature: Type.Optional(described(Text, 'Signature of a thinking block, unchanged.')),
  data: Type.Optional(described(Text, 'Data of a redacted thinking block, unchanged.')),
})
export type Block = Static<typeof Block>

const Message = open(
  {
    role: Enum(['user', 'assistant', 'system'], {
      description:
        'Author of the message. `system` gives instructions from this place of the conversation on.',
    }),
    content: Type.Unsafe<string | Block[]>({
      anyOf: [Text, Type.Array(Block, { maxItems: BLOCKS_MAX })],
      description: 'Text or blocks.',
    }),
  },
  { title: 'AnthropicMessageParam' },
)
export type Message = Static<typeof Message>

const Tool = open({
  type: optional(Type.String({ maxLength: 100, description: '`custom`. Other types are not supported.' })),
  name: described(ToolName, 'Name of the tool.'),
  description: optional(described(Text, 'Description of the tool for the model.')),
  input_schema: Type.Optional(described(JsonSchema, 'Input of the tool, as a JSON Schema.')),
  cache_control: CacheControl,
})

const ToolChoice = open(
  {
    type: Enum(['auto', 'any', 'tool', 'none'], { description: 'Which tools the model calls.' }),
    name: Type.Optional(described(ToolName, 'The tool that the model must call, for type `tool`.')),
    disable_parallel_tool_use: optional(
      Type.Boolean({ description: 'Whether the model can call only one tool at a time.' }),
    ),
  },
  { description: 'Whether the model calls tools.' },
)

const Thinking = open(
  {
    type: Enum(['enabled', 'adaptive', 'disabled'], { description: 'Whether the model thinks first.' }),
    budget_tokens: Type.Optional(
      Type.Integer({
        minimum: 1_024,
        maximum: COUNT_MAX,
        description: 'Maximum number of tokens of thinking.',
      }),
    ),
  },
  { description: 'Thinking before the reply.' },
)

const Format = open(
  {
    type: Enum(['json_schema'], { description: 'Always `json_schema`.' }),
    schema: described(JsonSchema, 'The JSON Schema.'),
  },
  { description: 'Format of the reply.' },
)

const prompt = {
  model: described(Name, 'ID of a model or agent, from `/anthropic/v1/models`.'),
  messages: Type.Array(Message, {
    minItems: 1,
    maxItems: MESSAGES_MAX,
    description: 'Messages of the conversation, oldest first.',
  }),
  system: optional(
    Type.Unsafe<string | Static<typeof TextBlock>[]>({
      anyOf: [Text, Type.Array(TextBlock, { maxItems: BLOCKS_MAX })],
      description: 'System prompt: text, or text blocks.',
    }),
  ),
  tools: optional(Type.Array(Tool, { maxItems: TOOLS_MAX, description: 'Tools that the model can call.' })),
  tool_choice: optional(ToolChoice),
  thinking: optional(Thinking),
  output_config: optional(
    open(
      {
        effort: optional(
          Enum(['low', 'medium', 'high', 'xhigh', 'max'], { description: 'How much the model works.' }),
        ),
        format: optional(Format),
      },
      { description: 'Options of the reply.' },
    ),
  ),
  cache_control: CacheControl,
}

export const CountRequest = open(prompt, { title: 'AnthropicCountTokensRequest' })
export type CountRequest = Static<typeof CountRequest>

export const MessagesRequest = open(
  {
    ...prompt,
    max_tokens: Type.Integer({
      minimum: 1,
      maximum: COUNT_MAX,
      description: 'Maximum number of tokens of the reply, including thinking.',
    }),
    stop_sequences: optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), {
        maxItems: STOPS_MAX,
        description: 'Sequences at which the reply stops.',
      }),
    ),
    stream: optional(Type.Boolean({ description: 'Whether to stream the response as Server-Sent Events.' })),
    temperature: optional(Type.Number({ minimum: 0, maximum: 2, description: 'Sampling temperature.' })),
    top_p: optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'Nucleus sampling: share of probability mass to sample from.',
      }),
    ),
    top_k: optional(
      Type.Integer({
        minimum: 0,
        maximum: COUNT_MAX,
        description: 'Only the K most likely tokens are considered.',
      }),
    ),
    metadata: optional(
      open(
        { user_id: optional(Type.String({ maxLength: 500, description: 'Pseudonym of the end user.' })) },
        { description: 'Metadata of the request.' },
      ),
    ),
    service_tier: optional(Type.String({ maxLength: 50, description: 'Processing tier of the provider.' })),
  },
  { title: 'AnthropicMessagesRequest' },
)
export type MessagesRequest = Static<typeof MessagesRequest>

export const MessageView = Type.Object(
  {
    id: Type.String({ description: 'Unique identifier of the message.' }),
    type: Enum(['message'], { description: 'Always `message`.' }),
    role: Enum(['assistant'], { description: 'Always `assistant`.' }),
    model: Type.String({ description: 'ID of the model or agent.' }),
    content: Type.Array(Type.Object({}, { additionalProperties: true }), {
      description: 'Blocks of the reply: text, thinking and tool calls.',
    }),
    stop_reason: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Why the model stopped, such as `end_turn`, `max_tokens`, `tool_use` or `refusal`.',
    }),
    stop_sequence: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The stop sequence that ended the reply. Null if the provider does not report it.',
    }),
    usage: Type.Object(
      {},
      { additionalProperties: Type.Unknown(), description: 'Token usage, as Anthropic reports it.' },
    ),
  },
  { title: 'AnthropicMessage' },
)
export type MessageView = Static<typeof MessageView>

export const TokenCount = Type.Object(
  { input_tokens: Type.Integer({ description: 'Tokens of the request, counted by Parley.' }) },
  { title: 'AnthropicTokenCount' },
)

export const ModelInfo = Type.Object(
  {
    type: Enum(['model'], { description: 'Always `model`.' }),
    id: Type.String({ description: 'Value for `model` in requests.' }),
    display_name: Type.String({ description: 'Name of the model or agent.' }),
    created_at: Type.String({ format: 'date-time', description: 'When the model or agent was created.' }),
  },
  { title: 'AnthropicModel' },
)

export const ModelPage = Type.Object(
  {
    data: Type.Array(ModelInfo, { description: 'Models and agents that the caller can use.' }),
    has_more: Type.Boolean({ description: 'Whether more models follow.' }),
    first_id: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'ID of the first model.' }),
    last_id: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'ID of the last model.' }),
  },
  { title: 'AnthropicModelPage' },
)
