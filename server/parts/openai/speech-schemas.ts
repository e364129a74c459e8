import Type, { type Static } from 'typebox'
import { described, Enum } from '#platform/http/schemas.ts'
import type { SpeechFormat } from '#platform/models/types.ts'
import { Name, open, optional } from './schemas.ts'

const VOICE_CHARACTERS_MAX = 200

/** The content type of each format. */
export const CONTENT_TYPES: Record<SpeechFormat, string> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}
const FORMATS = Object.keys(CONTENT_TYPES) as SpeechFormat[]

export const SpeechRequest = open(
  {
    model: described(Name, 'Name or ID of a model with the capability speech.'),
    input: Type.String({ minLength: 1, maxLength: 4_096, description: 'Text to speak.' }),
    voice: Type.Union(
      [
        Type.String({ minLength: 1, maxLength: VOICE_CHARACTERS_MAX, description: 'Name of the voice.' }),
        open(
          {
            id: Type.String({
              minLength: 1,
              maxLength: VOICE_CHARACTERS_MAX,
              description: 'ID of the voice.',
            }),
          },
          { description: 'A voice of your own.' },
        ),
      ],
      { description: 'Voice of the provider, such as `alloy`.' },
    ),
    instructions: optional(
      Type.String({ maxLength: 4_096, description: 'How to speak. Some models ignore it.' }),
    ),
    response_format: optional(Enum(FORMATS, { description: 'Format of the audio. Default: mp3.' })),
    speed: optional(Type.Number({ minimum: 0.25, maximum: 4, description: 'Speed. Default: 1.' })),
  },
  { title: 'OpenAiSpeechRequest' },
)
export type SpeechRequest = Static<typeof SpeechRequest>

/** The schema of the response for each content type. */
export const SPEECH_FILES = Object.fromEntries(
  Object.values(CONTENT_TYPES).map((type) => [
    type,
    Type.String({ format: 'binary', description: 'The audio.' }),
  ]),
)
