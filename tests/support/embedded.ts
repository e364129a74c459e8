import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { connectDatabase } from '#database/connect.ts'

/** The folder of the embedded database within a data folder (server: database, embedded). */
const DATABASE_FOLDER = 'postgres'

/**
 * Fills a data folder with a migrated embedded database, unless it has a database. The copy takes a tenth of the CPU time
 * of a new one.
 */
export async function copyEmbedded(dataDir: string): Promise<void> {
  const folder = join(dataDir, DATABASE_FOLDER)
  if (!existsSync(folder)) cpSync(await ensureTemplate(), folder, { recursive: true })
}

/** The first test of a run that needs the template makes it. If two workers make one each, the first one stays. */
async function ensureTemplate(): Promise<string> {
  const root = inject('templates')
  const template = join(root, DATABASE_FOLDER)
  if (existsSync(template)) return template
  const dataDir = mkdtempSync(join(root, 'new-'))
  const database = await connectDatabase({ databaseUrl: null, dataDir })
  await database.close()
  try {
    renameSync(join(dataDir, DATABASE_FOLDER), template)
  } catch (error) {
    if (!existsSync(template)) throw error
  }
  rmSync(dataDir, { recursive: true, force: true })
  return template
}
