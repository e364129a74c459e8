import Type, { type Static } from 'typebox'
import { described, Enum, Nullable } from '#platform/http/schemas.ts'
import {
  ADDRESS_MAX,
  CHOICES,
  EFFORTS,
  FunctionOfTool,
  JsonSchema,
  MESSAGES_MAX,
  Name,
  open,
  optional,
  PARTS_MAX,
  Sampling,
  Text,
  TOOLS_MAX,
  ToolName,
  Usage,
} from './schemas.ts'

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
          effort: optional(Enum(EFFORTS, { description: 'Reasoning effort.' })),
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
