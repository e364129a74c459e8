import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LocalFile } from './storage.ts'

/** Age after which an incoming file is abandoned. No request takes that long. */
const INCOMING_MS_MAX = 3_600_000

const incomingOf = (dataDir: string): string => join(dataDir, 'incoming')

/** Returns the path for a new incoming file. */
export async function newIncomingPath(dataDir: string): Promise<string> {
  await mkdir(incomingOf(dataDir), { recursive: true, mode: 0o700 })
  return join(incomingOf(dataDir), randomUUID())
}

/** Deletes incoming files that crashed processes left behind. */
export async function clearIncoming(dataDir: string): Promise<void> {
  const names = await readdir(incomingOf(dataDir)).catch(() => []) // the folder is missing until a file is received
  for (const name of names) {
    const path = join(incomingOf(dataDir), name)
    const file = await stat(path).catch(() => null) // the file may have been moved meanwhile
    if (file && Date.now() - file.mtimeMs > INCOMING_MS_MAX) await rm(path, { force: true })
  }
}

/** Writes bytes to a new incoming file. */
export async function writeLocalFile(dataDir: string, data: Uint8Array): Promise<LocalFile> {
  const path = await newIncomingPath(dataDir)
  await writeFile(path, data, { flag: 'wx', mode: 0o600 })
  return { path, size: data.length, sha256: createHash('sha256').update(data).digest('hex') }
}

/** Saves content to a new file. If the content exceeds `maxBytes`, throws the error that `tooLarge` returns. */
export async function saveContent(
  content: AsyncIterable<Buffer>,
  path: string,
  maxBytes: number,
  tooLarge: (maxBytes: number) => Error,
): Promise<LocalFile> {
  const hash = createHash('sha256')
  let size = 0
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of content) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      hash.update(chunk)
      await file.writeFile(chunk) // writes the whole chunk, unlike a single write
    }
  } finally {
    await file.close()
  }
  return { path, size, sha256: hash.digest('hex') }
}
