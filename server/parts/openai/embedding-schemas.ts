import Type, { type Static } from 'typebox'
import { described, Enum } from '#platform/http/schemas.ts'
import { COUNT_MAX, Name, open, optional, TEXT_MAX } from './schemas.ts'

const INPUTS_MAX = 2_048
const TOKENS_MAX = 8_192
/** Maximum number of dimensions that can be requested. Models have at most a few thousand. */
const DIMENSIONS_MAX = 16_000

const Tokens = Type.Array(Type.Integer({ minimum: 0, maximum: COUNT_MAX }), {
  minItems: 1,
  maxItems: TOKENS_MAX,
})

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
      Type.Integer({
        minimum: 1,
        maximum: DIMENSIONS_MAX,
        description: "Number of dimensions; null for the model's own.",
      }),
    ),
  },
  { title: 'OpenAiEmbeddingRequest' },
)
export type EmbeddingRequest = Static<typeof EmbeddingRequest>

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
