import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { detectType } from '#platform/documents/detect-type.ts'
import type { ReceivedFile } from '#platform/http/receive-file.ts'
import type { TranscriptView } from './schemas.ts'
import type { ChatDesk } from './send-message.ts'

const RECORDINGS = [
  'audio/mpeg',
  'audio/wav',
  'audio/mp4',
  'audio/ogg',
  'audio/flac',
  'audio/webm',
  'video/webm',
]

/**
 * What is said in a recording, by the organization's transcription model or the environment's (spec, transcribe).
 * The content tells the format, whatever the client says. Throws upload.empty, upload.not_audio, llm.none,
 * llm.failed, billing.insufficient_credits.
 */
export async function transcribeRecording(
  { models, calls }: Pick<ChatDesk, 'models' | 'calls'>,
  scope: Scope<'chats:write'>,
  language: string,
  file: ReceivedFile,
): Promise<TranscriptView> {
  if (file.size === 0) throw fail('upload.empty')
  const contentType = await detectType(file.path, file.name)
  if (contentType === null || !RECORDINGS.includes(contentType)) throw fail('upload.not_audio')
  const model = await models.findDefault(scope.organizationId, 'transcription')
  const recording = { path: file.path, contentType }
  const said = await calls.transcribe(scope.organizationId, model, recording, language)
  const heard = said.language ?? language
  return {
    text: said.text,
    language: language.startsWith(`${heard}-`) ? language : heard,
    duration: said.durationSeconds ?? 0,
  }
}
