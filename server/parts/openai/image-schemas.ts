import Type, { type Static } from 'typebox'
import { described, Enum } from '#platform/http/schemas.ts'
import { Name, open, optional, Text } from './schemas.ts'

export const ImageRequest = open(
  {
    model: described(Name, 'Name or ID of a model with the capability image.'),
    prompt: Type.String({ minLength: 1, maxLength: 32_000, description: 'Description of the image.' }),
    response_format: optional(
      Enum(['b64_json'], { description: 'The image is always in the response, in base64.' }),
    ),
  },
  { title: 'OpenAiImageRequest' },
)
export type ImageRequest = Static<typeof ImageRequest>

export const ImageList = Type.Object(
  {
    created: Type.Integer({ description: 'When the image was created, in Unix seconds.' }),
    data: Type.Array(Type.Object({ b64_json: described(Text, 'The image in base64.') }), {
      description: 'The image, as a list of one.',
    }),
    output_format: Type.String({ description: 'Format of the image, such as `png`.' }),
    usage: Type.Object(
      {
        input_tokens: Type.Integer({ description: 'Tokens of the prompt.' }),
        output_tokens: Type.Integer({ description: 'Tokens of the image.' }),
        total_tokens: Type.Integer({ description: 'All charged tokens.' }),
      },
      { description: 'Charged usage.' },
    ),
  },
  { title: 'OpenAiImageList' },
)
