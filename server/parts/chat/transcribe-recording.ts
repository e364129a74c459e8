import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { ACCEPTED_TYPES } from '#platform/documents/accepted-types.ts'
import { detectType } from '#platform/documents/detect-type.ts'
import type { ReceivedFile } from '#platform/http/receive-file.ts'
import type { ChatDependencies } from './dependencies.ts'
import type { LANGUAGES, TranscriptView } from './schemas.ts'

/** What can be a recording: all sound that is accepted, and WebM, which may say film where there is none. */
export const RECORDING_TYPES: readonly string[] = [...ACCEPTED_TYPES.keys()].filter(
  (type) => type.startsWith('audio/') || type === 'video/webm',
)

interface TranscribeQuery {
  language?: (typeof LANGUAGES)[number]
  content_type?: string
}

/**
 * What is said in a recording, by the organization's transcription model or the environment's (spec, transcribe).
 * The content tells the format, whatever the client says. Throws upload.empty, upload.not_audio, llm.none,
 * llm.failed, billing.insufficient_credits.
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

/** Sound in MP4 or Ogg does not always say that it is sound: then the sender does, by its type or its name. */
function nameOf({ name, contentType }: ReceivedFile, saidType: string | undefined): string {
  const [type = ''] = (saidType ?? contentType).toLowerCase().split(/\s*;/)
  const extension = type.startsWith('audio/') ? ACCEPTED_TYPES.get(type)?.extensions[0] : undefined
  return extension === undefined ? name : `recording.${extension}`
}
