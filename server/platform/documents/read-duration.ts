import type { ExtractedDuration, Sound } from './reader.ts'

/**
 * Returns the duration in an audio file's metadata. Runs in a reader process, because a hostile file may crash the
 * parser.
 */
export async function readDuration({ soundPath }: Sound): Promise<ExtractedDuration> {
  const { parseFile } = await import('music-metadata')
  try {
    const { format } = await parseFile(soundPath, { skipCovers: true })
    return { seconds: format.duration ?? null }
  } catch {
    return { seconds: null } // not a recording of a known format, or damaged
  }
}
