import Type, { type Static } from 'typebox'
import { described, Enum, Nullable } from '#platform/http/schemas.ts'
import {
  ADDRESS_MAX,
  CHOICES,
  COUNT_MAX,
  EFFORTS,
  FunctionOfTool,
  Hints,
  JsonSchema,
  LOGPROBS_MAX,
  MESSAGES_MAX,
  Name,
  open,
  optional,
  PARTS_MAX,
  Rarer,
  Sampling,
  Text,
  TOOLS_MAX,
  ToolName,
  Usage,
  VERBOSITIES,
} from '../schemas.ts'
import { HOSTED_TYPES } from './hosted-items.ts'

export const ID_MAX = 500

const ResponsePart = open({
  type: Type.String({
    maxLength: 50,
    description: 'Type of the part, such as `input_text` or `input_image`.',
  }),
  text: Type.Optional(described(Text, 'Text of the part.')),
  refusal: Type.Optional(described(Text, 'Text of a part of type `refusal`.')),
  image_url: optional(Type.String({ maxLength: ADDRESS_MAX, description: 'URL or data URL of the image.' })),
})

export type ResponsePart = Static<typeof ResponsePart>

export const ResponseItem = open(
  {
    id: optional(
      Type.String({ maxLength: ID_MAX, description: 'ID of the item that an `item_reference` refers to.' }),
    ),
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
    call_id: Type.Optional(Type.String({ maxLength: ID_MAX, description: 'ID of the function call.' })),
    name: Type.Optional(described(ToolName, 'Name of the called function.')),
    namespace: optional(Type.String({ maxLength: ID_MAX, description: 'Namespace of the called function.' })),
    arguments: Type.Optional(described(Text, 'Arguments of the call, as JSON text.')),
    input: Type.Optional(described(Text, 'Input of a `custom_tool_call`.')),
    output: Type.Optional(
      Type.Unsafe<string | Static<typeof ResponsePart>[]>({
        anyOf: [Text, Type.Array(ResponsePart, { maxItems: PARTS_MAX })],
        description: 'Result of the call.',
      }),
    ),
    encrypted_content: optional(
      described(Text, 'Content of a `compaction`, as `/openai/v1/responses/compact` returned it.'),
    ),
  },
  { title: 'OpenAiResponseItem' },
)
export type ResponseItem = Static<typeof ResponseItem>

const HostedItem = open(
  {
    type: Enum(HOSTED_TYPES, {
      description: 'Type of an item of a tool that OpenAI runs. The model receives its text, if it has any.',
    }),
  },
  { title: 'OpenAiHostedItem' },
)
export type HostedItem = Static<typeof HostedItem> & Record<string, unknown>

/** An item that a client sends. */
export const SentItem = Type.Unsafe<ResponseItem | HostedItem>({ anyOf: [ResponseItem, HostedItem] })

export const ResponseInput = Type.Unsafe<string | (ResponseItem | HostedItem)[]>({
  anyOf: [Text, Type.Array(SentItem, { minItems: 1, maxItems: MESSAGES_MAX })],
  description: 'Text, or a list of items. An `item_reference` stands for an item of a stored response.',
})
const PreviousResponseId = optional(
  Type.String({
    maxLength: ID_MAX,
    description: 'ID of the response to continue. The model receives its input and output before `input`.',
  }),
)

const TOOL_TYPE = 'Type of the tool: `function`, `custom`, `namespace`, or a tool that OpenAI runs.'
const toolFields = {
  type: Type.String({ maxLength: 100, description: TOOL_TYPE }),
  ...FunctionOfTool,
  name: optional(described(ToolName, 'Name of the tool.')),
  format: optional(
    open(
      {
        syntax: optional(Type.String({ maxLength: 50, description: 'Syntax of the grammar.' })),
        definition: optional(described(Text, 'The grammar.')),
      },
      { description: 'Format of the input of a custom tool.' },
    ),
  ),
}

const ResponseTool = open({
  ...toolFields,
  tools: optional(
    Type.Array(open(toolFields), { maxItems: TOOLS_MAX, description: 'Members of a `namespace`.' }),
  ),
})
export type ResponseTool = Static<typeof ResponseTool>

const NamedChoice = {
  type: Type.String({ maxLength: 100, description: TOOL_TYPE }),
  name: Type.Optional(described(ToolName, 'Name of the tool.')),
  namespace: optional(Type.String({ maxLength: ID_MAX, description: 'Namespace of the tool.' })),
}
const ToolChoice = open({
  ...NamedChoice,
  mode: Type.Optional(
    Enum(['auto', 'required'], { description: 'Whether the model must call one of the allowed tools.' }),
  ),
  tools: Type.Optional(
    Type.Array(open(NamedChoice), { maxItems: TOOLS_MAX, description: 'Tools of the type `allowed_tools`.' }),
  ),
})
type ToolChoice = Static<typeof ToolChoice>

export const ResponseRequest = open(
  {
    model: described(Name, 'ID of a model or agent, from `/openai/v1/models`.'),
    input: ResponseInput,
    previous_response_id: PreviousResponseId,
    conversation: optional(
      Type.Unsafe<string | { id: string }>({
        anyOf: [
          Type.String({ maxLength: ID_MAX }),
          open({ id: Type.String({ maxLength: ID_MAX, description: 'ID of the conversation.' }) }),
        ],
        description: 'ID of the conversation to continue, or an object with it. Its items precede `input`.',
      }),
    ),
    store: optional(
      Type.Boolean({
        description:
          'Whether to store the response, so that it can be continued and retrieved. Default: true. Returned as false ' +
          'where the organization stores no responses.',
      }),
    ),
    instructions: optional(
      described(Text, 'System prompt. Not taken over from the response that is continued.'),
    ),
    include: optional(
      Type.Array(Type.String({ maxLength: 200 }), {
        maxItems: 20,
        description: 'Additional output: `message.output_text.logprobs`. Other values have no effect.',
      }),
    ),
    tools: optional(
      Type.Array(ResponseTool, {
        maxItems: TOOLS_MAX,
        description:
          'Tools that the model can call. Tools that OpenAI runs, such as `web_search`, are ignored.',
      }),
    ),
    tool_choice: optional(
      Type.Unsafe<(typeof CHOICES)[number] | ToolChoice>({
        anyOf: [Enum(CHOICES), ToolChoice],
        description:
          'Whether the model calls tools, the tool that it must call, or the tools to choose from.',
      }),
    ),
    ...Sampling,
    max_output_tokens: optional(
      Type.Integer({
        minimum: 1,
        maximum: COUNT_MAX,
        description: 'Maximum number of tokens of the reply, including reasoning.',
      }),
    ),
    max_tool_calls: optional(
      Type.Integer({
        minimum: 1,
        maximum: COUNT_MAX,
        description: "Maximum number of calls of OpenAI's own tools. Returned, with no other effect.",
      }),
    ),
    top_logprobs: optional(
      Type.Integer({
        minimum: 0,
        maximum: LOGPROBS_MAX,
        description: 'Number of alternatives per token to return with log probabilities.',
      }),
    ),
    truncation: optional(
      Enum(['auto', 'disabled'], {
        description: 'Accepted for compatibility. Input beyond the context of the model fails.',
      }),
    ),
    ...Rarer,
    reasoning: optional(
      open(
        {
          effort: optional(Enum(EFFORTS, { description: 'Reasoning effort.' })),
          summary: optional(
            Enum(['auto', 'concise', 'detailed'], {
              description: 'Returns the reasoning as a summary, rather than as `reasoning_text`.',
            }),
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
          verbosity: optional(Enum(VERBOSITIES, { description: 'Length of the reply.' })),
        },
        { description: 'Options of the text output.' },
      ),
    ),
    ...Hints,
    metadata: optional(described(JsonSchema, 'Metadata of the client. Returned with the response.')),
  },
  { title: 'OpenAiResponseRequest' },
)
export type ResponseRequest = Static<typeof ResponseRequest>

export const CompactionRequest = open(
  {
    model: described(Name, 'ID of the model or agent that writes the summary.'),
    input: optional(ResponseInput),
    previous_response_id: PreviousResponseId,
    instructions: optional(described(Text, 'System prompt of the conversation.')),
    prompt_cache_key: Hints.prompt_cache_key,
  },
  { title: 'OpenAiCompactionRequest' },
)
export type CompactionRequest = Static<typeof CompactionRequest>

const OutputItem = Type.Object({}, { additionalProperties: true })

export const Response = Type.Object(
  {
    id: Type.String({ description: 'Unique identifier of the response.' }),
    object: Enum(['response'], { description: 'Always `response`.' }),
    created_at: Type.Integer({ description: 'When the response was created, in Unix seconds.' }),
    status: Enum(['completed', 'incomplete', 'in_progress', 'failed'], {
      description: 'Status of the response.',
    }),
    model: Type.String({ description: 'ID of the model or agent.' }),
    previous_response_id: Nullable(
      Type.String({ description: 'ID of the response that this one continues.' }),
    ),
    store: Type.Boolean({ description: 'Whether the response is stored.' }),
    not_stored: Type.Optional(
      Type.String({
        description: 'Reason why the response and its conversation are not stored: the storage is full.',
      }),
    ),
    output: Type.Array(OutputItem, { description: 'Output items.' }),
    usage: Nullable(Usage),
  },
  { title: 'OpenAiResponse', additionalProperties: true },
)

export const Compaction = Type.Object(
  {
    id: Type.String({ description: 'Unique identifier of the compaction.' }),
    object: Enum(['response.compaction'], { description: 'Always `response.compaction`.' }),
    created_at: Type.Integer({ description: 'When the compaction was created, in Unix seconds.' }),
    output: Type.Array(OutputItem, { description: 'Input for the next response.' }),
    usage: Usage,
  },
  { title: 'OpenAiCompaction' },
)

export const DeletedResponse = Type.Object(
  {
    id: Type.String({ description: 'ID of the deleted response.' }),
    object: Enum(['response'], { description: 'Always `response`.' }),
    deleted: Type.Boolean({ description: 'Always true.' }),
  },
  { title: 'OpenAiDeletedResponse' },
)

/** Query of a list of items. */
export const ItemPageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 20,
      description: 'Maximum number of items to return.',
    }),
  ),
  order: Type.Optional(Enum(['asc', 'desc'], { description: 'Order of the items. Default: `desc`.' })),
  after: Type.Optional(
    Type.String({ maxLength: ID_MAX, description: 'ID of the item after which the list begins.' }),
  ),
}

export const ItemList = Type.Object(
  {
    object: Enum(['list'], { description: 'Always `list`.' }),
    data: Type.Array(OutputItem, { description: 'The items.' }),
    first_id: Nullable(Type.String({ description: 'ID of the first item; null if there is none.' })),
    last_id: Nullable(Type.String({ description: 'ID of the last item; null if there is none.' })),
    has_more: Type.Boolean({ description: 'Whether more items follow.' }),
  },
  { title: 'OpenAiItemList' },
)
