import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { ACCEPTED_TYPES } from '#platform/documents/accepted-types.ts'
import { detectType } from '#platform/documents/detect-type.ts'
import type { ReceivedFile } from '#platform/http/receive-file.ts'
import type { ChatDependencies } from './dependencies.ts'
import type { LANGUAGES, TranscriptView } from './schemas.ts'

/** Accepted file types: all audio types, and WebM, which is detected as video even if it contains only audio. */
export const RECORDING_TYPES: readonly string[] = [...ACCEPTED_TYPES.keys()].filter(
  (type) => type.startsWith('audio/') || type === 'video/webm',
)

interface TranscribeQuery {
  language?: (typeof LANGUAGES)[number]
  content_type?: string
}

/**
 * Transcribes audio with the transcription model of the organization or environment (spec, transcribe). Detects the
 * format from the content, regardless of the declared type. Throws upload.empty, upload.not_audio, llm.none,
 * llm.failed, billing.insufficient_credits.
 */
export async function transcribeRecording(
  { models, calls }: Pick<ChatDependencies, 'models' | 'calls'>,
  scope: Scope<'chats:write'>,
  { language = 'en-US', content_type: declaredType }: TranscribeQuery,
  file: ReceivedFile,
): Promise<TranscriptView> {
  if (file.size === 0) throw fail('upload.empty')
  const contentType = await detectType(file.path, nameOf(file, declaredType))
  if (contentType === null || !RECORDING_TYPES.includes(contentType)) throw fail('upload.not_audio')
  const model = await models.findDefault(scope.organizationId, 'transcription')
  const recording = { path: file.path, contentType }
  const transcript = await calls.transcribe(scope, model, recording, language)
  const detected = transcript.language ?? language
  return {
    text: transcript.text,
    language: language.startsWith(`${detected}-`) ? language : detected,
    duration: transcript.durationSeconds,
  }
}

/**
 * Returns a file name whose extension resolves ambiguous content. MP4 and Ogg content doesn't always show whether it
 * is only audio, so the declared type decides, or else the original name.
 */
function nameOf({ name, contentType }: ReceivedFile, declaredType: string | undefined): string {
  const [type = ''] = (declaredType ?? contentType).toLowerCase().split(/\s*;/)
  const extension = type.startsWith('audio/') ? ACCEPTED_TYPES.get(type)?.extensions[0] : undefined
  return extension === undefined ? name : `recording.${extension}`
}
