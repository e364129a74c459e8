import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { connectDatabase } from '#database/connect.ts'

/** The folder of the embedded database within a data folder (see the server's embedded database). */
const DATABASE_FOLDER = 'postgres'

/**
 * Copies a migrated embedded database into a data folder that has none. A copy takes a tenth of the CPU time of a
 * new one.
 */
export async function copyEmbedded(dataDir: string): Promise<void> {
  const folder = join(dataDir, DATABASE_FOLDER)
  if (!existsSync(folder)) cpSync(await ensureTemplate(), folder, { recursive: true })
}

/**
 * The first test that needs the template creates it. If two workers create one concurrently, the first one is
 * kept.
 */
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
