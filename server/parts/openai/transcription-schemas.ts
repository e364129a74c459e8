import Type, { type Static } from 'typebox'
import { described, Enum } from '#platform/http/schemas.ts'
import { Name, open } from './schemas.ts'

/** The fields of the form beside the file. */
export const TranscriptionFields = open({
  model: described(Name, 'Name or ID of a model with the capability transcription.'),
  language: Type.Optional(
    Type.String({ minLength: 2, maxLength: 20, description: 'Language of the recording, such as `en`.' }),
  ),
  response_format: Type.Optional(
    Enum(['json', 'verbose_json', 'text'], { description: 'Format of the response. Default: json.' }),
  ),
})
export type TranscriptionFields = Static<typeof TranscriptionFields>

export const Transcription = Type.Object(
  {
    text: Type.String({ description: 'The transcribed text.' }),
    language: Type.Optional(Type.String({ description: 'Spoken language, with `verbose_json`.' })),
    duration: Type.Optional(Type.Number({ description: 'Length in seconds, with `verbose_json`.' })),
    usage: Type.Object(
      {
        type: Enum(['duration'], { description: 'Always `duration`.' }),
        seconds: Type.Integer({ description: 'Charged length, in seconds.' }),
      },
      { description: 'Usage of the transcription.' },
    ),
  },
  { title: 'OpenAiTranscription' },
)
