import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { connectDatabase } from '#database/connect.ts'

/** The subfolder of a data folder that contains the embedded database (server/database/embedded.ts). */
const DATABASE_FOLDER = 'postgres'

/**
 * Copies a migrated embedded database into a data folder, unless the folder already has one. A copy takes a tenth of
 * the CPU time of creating a database.
 */
export async function copyEmbedded(dataDir: string): Promise<void> {
  const folder = join(dataDir, DATABASE_FOLDER)
  if (!existsSync(folder)) cpSync(await ensureTemplate(), folder, { recursive: true })
}

/**
 * Returns the template database, which the first test that needs it creates. If two workers create templates at the
 * same time, the first template is kept.
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
