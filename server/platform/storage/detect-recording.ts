import { fail } from '#errors'
import { ACCEPTED_TYPES } from '../documents/accepted-types.ts'
import { detectType } from '../documents/detect-type.ts'
import type { ReceivedFile } from '../http/receive-file.ts'

/** Accepted file types: all audio types, and WebM, which is detected as video even if it contains only audio. */
export const RECORDING_TYPES: readonly string[] = [...ACCEPTED_TYPES.keys()].filter(
  (type) => type.startsWith('audio/') || type === 'video/webm',
)

/**
 * Returns the type of a received recording. Detects the format from the content, regardless of the declared type.
 * Throws upload.empty, upload.not_audio.
 */
export async function detectRecording(file: ReceivedFile, declaredType?: string): Promise<string> {
  if (file.size === 0) throw fail('upload.empty')
  const contentType = await detectType(file.path, nameOf(file, declaredType))
  if (contentType === null || !RECORDING_TYPES.includes(contentType)) throw fail('upload.not_audio')
  return contentType
}

/**
 * Returns a file name whose extension resolves ambiguous content. MP4 and Ogg content doesn't always show whether it
 * is only audio, so the declared type decides, or else the original name.
 */
function nameOf({ name, contentType }: ReceivedFile, declaredType: string | undefined): string {
  const [declared = ''] = (declaredType ?? contentType).toLowerCase().split(';')
  const type = declared.trimEnd()
  const extension = type.startsWith('audio/') ? ACCEPTED_TYPES.get(type)?.extensions[0] : undefined
  return extension === undefined ? name : `recording.${extension}`
}
