import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Deliver, Message } from './mail.ts'

/** Maximum number of saved emails. Older ones are deleted. */
const KEPT_MAX = 500

export type SavedMail = Message & { date: string }

const folderOf = (dataDir: string): string => join(dataDir, 'mail')

/**
 * Returns a function that saves each email to a file in DATA_DIR/mail. Only the server's operating system user can
 * read the files. Used without an SMTP server.
 */
export function saveMail(dataDir: string): Deliver {
  const folder = folderOf(dataDir)
  return async (message) => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const saved: SavedMail = { ...message, date: new Date().toISOString() }
    const file = join(folder, `${message.id}.json`)
    await writeFile(`${file}.new`, JSON.stringify(saved, null, 2), { mode: 0o600 })
    await rename(`${file}.new`, file)
    for (const old of (await fileNames(folder)).slice(KEPT_MAX)) await rm(join(folder, old), { force: true })
  }
}

/** Returns the newest saved emails, newest first. */
export async function readSavedMail(dataDir: string, count: number): Promise<SavedMail[]> {
  const folder = folderOf(dataDir)
  const names = (await fileNames(folder)).slice(0, count)
  return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))))
}

/** Deletes saved emails whose `about` contains one of these HMACs or ids. */
export async function deleteSavedMail(dataDir: string, about: readonly string[]): Promise<void> {
  for (const mail of await readSavedMail(dataDir, Number.POSITIVE_INFINITY))
    if (mail.about?.some((one) => about.includes(one)))
      await rm(join(folderOf(dataDir), `${mail.id}.json`), { force: true })
}

/** Returns the files' names, newest email first. The names are UUIDv7, so their order is the order of creation. */
async function fileNames(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .reverse()
}
