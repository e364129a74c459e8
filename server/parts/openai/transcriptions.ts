import { fail } from '#errors'
import type { ReceivedFile } from '#platform/http/receive-file.ts'
import { detectRecording } from '#platform/storage/detect-recording.ts'
import type { Sender } from '../agents/index.ts'
import type { OpenAiDependencies } from './generate.ts'
import { refuseFields } from './refused-fields.ts'
import type { TranscriptionFields } from './transcription-schemas.ts'

/**
 * Implements OpenAI's transcriptions. https://platform.openai.com/docs/api-reference/audio/createTranscription
 * Throws openai.only_agent, llm.not_found, openai.cannot_transcribe, upload.empty, upload.not_audio, and the errors
 * of PaidCalls.transcribe.
 */
export async function transcribe(
  { models, calls }: Pick<OpenAiDependencies, 'models' | 'calls'>,
  { scope, deployment }: Sender,
  { model: name, language, response_format: format, ...rest }: TranscriptionFields,
  file: ReceivedFile,
) {
  if (deployment) throw fail('openai.only_agent')
  refuseFields(rest)
  const model = await models.findNamed(scope.organizationId, name)
  if (!model.capabilities.includes('transcription')) throw fail('openai.cannot_transcribe')
  const recording = { path: file.path, contentType: await detectRecording(file) }
  const said = await calls.transcribe(scope, model, recording, language)
  if (format === 'text')
    return { name: 'transcript.txt', contentType: 'text/plain; charset=utf-8', content: `${said.text}\n` }
  const { text, durationSeconds } = said
  const detected = said.language ?? language
  return {
    text,
    ...(format === 'verbose_json' && {
      task: 'transcribe',
      ...(detected !== undefined && { language: detected }),
      duration: durationSeconds,
    }),
    usage: { type: 'duration' as const, seconds: Math.ceil(durationSeconds) },
  }
}
