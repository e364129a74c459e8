import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { ACCEPTED_TYPES } from '#platform/documents/accepted-types.ts'
import { detectType } from '#platform/documents/detect-type.ts'
import type { ReceivedFile } from '#platform/http/receive-file.ts'
import type { ChatDependencies } from './dependencies.ts'
import type { LANGUAGES, TranscriptView } from './schemas.ts'

/** File types of recordings: all accepted audio types, and WebM, which reports video even for audio only. */
export const RECORDING_TYPES: readonly string[] = [...ACCEPTED_TYPES.keys()].filter(
  (type) => type.startsWith('audio/') || type === 'video/webm',
)

interface TranscribeQuery {
  language?: (typeof LANGUAGES)[number]
  content_type?: string
}

/**
 * Transcribes a recording with the organization's or the environment's transcription model (spec, transcribe).
 * The content determines the format, whatever the client declares. Throws upload.empty, upload.not_audio,
 * llm.none, llm.failed, billing.insufficient_credits.
 */
export async function transcribeRecording(
  { models, calls }: Pick<ChatDependencies, 'models' | 'calls'>,
  scope: Scope<'chats:write'>,
  { language = 'en-US', content_type: saidType }: TranscribeQuery,
  file: ReceivedFile,
): Promise<TranscriptView> {
  if (file.size === 0) throw fail('upload.empty')
  const contentType = await detectType(file.path, nameOf(file, saidType))
  if (contentType === null || !RECORDING_TYPES.includes(contentType)) throw fail('upload.not_audio')
  const model = await models.findDefault(scope.organizationId, 'transcription')
  const recording = { path: file.path, contentType }
  const said = await calls.transcribe(scope, model, recording, language)
  const detected = said.language ?? language
  return {
    text: said.text,
    language: language.startsWith(`${detected}-`) ? language : detected,
    duration: said.durationSeconds,
  }
}

/**
 * Returns a file name whose extension resolves ambiguous content: MP4 and Ogg do not always show that they
 * contain only audio, so the declared type or the name decides.
 */
function nameOf({ name, contentType }: ReceivedFile, saidType: string | undefined): string {
  const [type = ''] = (saidType ?? contentType).toLowerCase().split(/\s*;/)
  const extension = type.startsWith('audio/') ? ACCEPTED_TYPES.get(type)?.extensions[0] : undefined
  return extension === undefined ? name : `recording.${extension}`
}
