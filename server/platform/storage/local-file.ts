import { createHash, randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LocalFile } from './storage.ts'

/** A new place for a file that is on its way to the storage. */
export async function newIncomingPath(dataDir: string): Promise<string> {
  const directory = join(dataDir, 'incoming')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  return join(directory, randomUUID())
}

/** Bytes as such a file. */
export async function writeLocalFile(dataDir: string, data: Uint8Array): Promise<LocalFile> {
  const path = await newIncomingPath(dataDir)
  await writeFile(path, data, { flag: 'wx', mode: 0o600 })
  return { path, size: data.length, sha256: createHash('sha256').update(data).digest('hex') }
}
