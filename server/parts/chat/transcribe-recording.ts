import type { Scope } from '#platform/access/scope.ts'
import type { ReceivedFile } from '#platform/http/receive-file.ts'
import { detectRecording } from '#platform/storage/detect-recording.ts'
import type { ChatDependencies } from './dependencies.ts'
import type { LANGUAGES, TranscriptView } from './schemas.ts'

interface TranscribeQuery {
  language?: (typeof LANGUAGES)[number]
  content_type?: string
}

/**
 * Transcribes audio with the transcription model of the organization or environment. Throws
 * upload.empty, upload.not_audio, llm.none, billing.insufficient_credits, and the errors of modelFailure.
 */
export async function transcribeRecording(
  { models, calls }: Pick<ChatDependencies, 'models' | 'calls'>,
  scope: Scope<'chats:write'>,
  { language = 'en-US', content_type: declaredType }: TranscribeQuery,
  file: ReceivedFile,
): Promise<TranscriptView> {
  const contentType = await detectRecording(file, declaredType)
  const model = await models.findDefault(scope, 'transcription')
  const recording = { path: file.path, contentType }
  const transcript = await calls.transcribe(scope, model, recording, language)
  const detected = transcript.language ?? language
  return {
    text: transcript.text,
    language: language.startsWith(`${detected}-`) ? language : detected,
    duration: transcript.durationSeconds,
  }
}
