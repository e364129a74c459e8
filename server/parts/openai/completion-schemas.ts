import Type, { type Static } from 'typebox'
import { described, Enum } from '#platform/http/schemas.ts'
import {
  COUNT_MAX,
  Hints,
  Name,
  open,
  optional,
  Rarer,
  Sampling,
  Stop,
  StreamOptions,
  Text,
  Usage,
} from './schemas.ts'

export const CompletionRequest = open(
  {
    model: described(Name, 'ID of a model or agent, from `/openai/v1/models`.'),
    prompt: Type.Unsafe<string | string[]>({
      anyOf: [Text, Type.Array(Text, { minItems: 1, maxItems: 1 })],
      description: 'Text that the model answers. Arrays of tokens are not supported.',
    }),
    temperature: Sampling.temperature,
    top_p: Sampling.top_p,
    stream: Sampling.stream,
    max_tokens: optional(
      Type.Integer({ minimum: 1, maximum: COUNT_MAX, description: 'Maximum number of tokens of the reply.' }),
    ),
    stop: Stop,
    stream_options: StreamOptions,
    ...Rarer,
    ...Hints,
  },
  { title: 'OpenAiCompletionRequest' },
)
export type CompletionRequest = Static<typeof CompletionRequest>

export const Completion = Type.Object(
  {
    id: Type.String({ description: 'Unique identifier of the completion.' }),
    object: Enum(['text_completion'], { description: 'Always `text_completion`.' }),
    created: Type.Integer({ description: 'When the completion was created, in Unix seconds.' }),
    model: Type.String({ description: 'ID of the model or agent.' }),
    choices: Type.Array(Type.Object({}, { additionalProperties: true }), {
      description: 'The reply, as a list of one choice.',
    }),
    usage: Usage,
  },
  { title: 'OpenAiCompletion' },
)
