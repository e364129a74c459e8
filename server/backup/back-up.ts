import { existsSync, readFileSync } from 'node:fs'
import { access, constants, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '#config'
import { openUnmigrated } from '#database/connect.ts'
import { lockDataDir, startEmbedded } from '#database/embedded.ts'
import { readSchemaState, type SchemaState } from '#database/schema-state.ts'
import { BACKED_UP, takeSnapshot } from '#database/snapshot.ts'
import { secretIdOf } from '#platform/secrets/secrets.ts'
import { BackupError, FORMAT, FORMAT_VERSION, type Manifest } from './manifest.ts'
import { writeArchive } from './write-archive.ts'

/**
 * Writes a backup of the embedded database and of DATA_DIR to a new file (docs/backup.md). A server on DATA_DIR may
 * run: it pauses its statements while it copies its database. Throws a BackupError or a DataDirError for mistakes.
 */
export async function backUp(config: Config, file: string): Promise<Manifest> {
  if (config.databaseUrl !== null)
    throw new BackupError(
      'This command backs up the embedded database, and DATABASE_URL is set. Back up PostgreSQL with pg_dump, as docs/backup.md describes.',
    )
  const path = resolve(file)
  if (existsSync(path)) throw new BackupError(`${file} already exists. Choose another name.`)
  await access(dirname(path), constants.W_OK).catch(() => {
    throw new BackupError(`${dirname(path)} is not a writable folder. Create it, or choose another folder.`)
  })
  const snapshot = await takeSnapshot(config.dataDir)
  try {
    const { applied } = await openCopy(snapshot)
    const unlock = lockDataDir(snapshot)
    try {
      const secretId = secretIdOf(config.secret ?? readFileSync(join(snapshot, 'secret'), 'utf8').trim())
      return await writeArchive(path, snapshot, BACKED_UP, (totals) => ({
        format: FORMAT,
        version: FORMAT_VERSION,
        created_at: new Date().toISOString(),
        program: programVersion(),
        migrations: applied,
        ...totals,
        uploads: config.s3 ? 'bucket' : 'included',
        secret_id: secretId,
      }))
    } finally {
      unlock()
    }
  } finally {
    await rm(snapshot, { recursive: true, force: true })
  }
}

/**
 * Opens the database of a copied data folder and closes it again. Recovers it, as after a crash, and shows that it can
 * be read. Returns its migrations.
 */
export async function openCopy(folder: string): Promise<SchemaState> {
  const embedded = await startEmbedded(folder)
  try {
    const sql = openUnmigrated(embedded, '')
    try {
      return await readSchemaState(sql)
    } finally {
      await sql.end()
    }
  } finally {
    await embedded.stop()
  }
}

/** Returns the version of this program, such as `0.1.0`. */
export const programVersion = (): string =>
  (createRequire(import.meta.url)('../../package.json') as { version: string }).version
