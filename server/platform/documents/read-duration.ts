import type { ExtractedDuration, Sound } from './reader.ts'

/** How long a recording is, as it tells itself. Runs in a reader process: what a file holds may end that. */
export async function readDuration({ soundPath }: Sound): Promise<ExtractedDuration> {
  const { parseFile } = await import('music-metadata')
  try {
    const { format } = await parseFile(soundPath, { skipCovers: true })
    return { seconds: format.duration ?? null }
  } catch {
    return { seconds: null } // it is no recording of a known format, or a broken one
  }
}
