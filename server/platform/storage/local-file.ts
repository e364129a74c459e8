import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LocalFile } from './storage.ts'

/** After so long nothing is on its way any more: a request takes less. */
const INCOMING_MS_MAX = 3_600_000

const incomingOf = (dataDir: string): string => join(dataDir, 'incoming')

/** A new place for a file that is on its way to the storage. */
export async function newIncomingPath(dataDir: string): Promise<string> {
  await mkdir(incomingOf(dataDir), { recursive: true, mode: 0o700 })
  return join(incomingOf(dataDir), randomUUID())
}

/** Removes what processes that have died were receiving. */
export async function clearIncoming(dataDir: string): Promise<void> {
  const names = await readdir(incomingOf(dataDir)).catch(() => []) // where nothing was ever received
  for (const name of names) {
    const path = join(incomingOf(dataDir), name)
    const file = await stat(path).catch(() => null) // it may arrive meanwhile
    if (file && Date.now() - file.mtimeMs > INCOMING_MS_MAX) await rm(path, { force: true })
  }
}

/** Bytes as such a file. */
export async function writeLocalFile(dataDir: string, data: Uint8Array): Promise<LocalFile> {
  const path = await newIncomingPath(dataDir)
  await writeFile(path, data, { flag: 'wx', mode: 0o600 })
  return { path, size: data.length, sha256: createHash('sha256').update(data).digest('hex') }
}

/** Content as a file that is new, of at most so many bytes: beyond them it throws what `tooLarge` makes. */
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
      await file.writeFile(chunk) // all of it, where the disk takes a part at a time
    }
  } finally {
    await file.close()
  }
  return { path, size, sha256: hash.digest('hex') }
}
