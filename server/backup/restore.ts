import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#config'
import { lockDataDir, RESTORE_MARKER } from '#database/embedded.ts'
import { compareMigrations } from '#database/schema-state.ts'
import { BACKED_UP } from '#database/snapshot.ts'
import { secretIdOf } from '#platform/secrets/secrets.ts'
import { openCopy } from './back-up.ts'
import { BackupError, type Manifest } from './manifest.ts'
import { type BackupArchive, openBackup } from './read-archive.ts'

/** Entries of an empty data folder: the lock, sockets, and the folder of a file system. */
const IGNORED = ['lock', 'lock-journal', 'stopping', 'lost+found', '.s.PGSQL.5432', '.s.snapshot']
const UNPACKED_PREFIX = 'unpacked-'
/** Free space that a restore leaves on the disk, in bytes. */
const RESERVE_BYTES = 64 * 1024 * 1024

export interface Restored {
  manifest: Manifest
  /** The folder with the earlier data. Null if there was none. */
  replaced: string | null
}

/**
 * Restores a backup into DATA_DIR, whose lock it holds. Unpacks, verifies and opens the backup beside the existing data,
 * and only then moves it into place. If it fails before, the existing data is unchanged. `force` allows a folder that is
 * not empty, and keeps its data in a folder `replaced-…`.
 */
export async function restore(config: Config, file: string, { force = false } = {}): Promise<Restored> {
  const { dataDir, databaseUrl } = config
  if (databaseUrl !== null)
    throw new BackupError(
      'This command restores the embedded database, and DATABASE_URL is set. Restore PostgreSQL with pg_restore, as docs/backup.md describes.',
    )
  const archive = await openBackup(file)
  try {
    checkSchema(archive.manifest)
    const created = mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    const unlock = lockDataDir(dataDir)
    try {
      for (const name of readdirSync(dataDir).filter((entry) => entry.startsWith(UNPACKED_PREFIX)))
        await rm(join(dataDir, name), { recursive: true }) // of a killed restore
      const existing = readdirSync(dataDir).filter((name) => !IGNORED.includes(name))
      if (existing.length > 0 && !force)
        throw new BackupError(
          `${dataDir} is not empty. Set DATA_DIR to a new folder, or add --force to replace its data.`,
        )
      await checkSpace(dataDir, archive.bytes)
      const unpacked = await mkdtemp(join(dataDir, UNPACKED_PREFIX))
      try {
        await archive.unpack(unpacked)
        await checkCopy(unpacked, archive, config)
        return { manifest: archive.manifest, replaced: replace(dataDir, unpacked) }
      } finally {
        await rm(unpacked, { recursive: true, force: true })
      }
    } catch (error) {
      // Without data, the lock would be all that is left of the folder.
      if (created !== undefined) rmSync(created, { recursive: true })
      throw error
    } finally {
      unlock()
    }
  } finally {
    archive.close()
  }
}

function checkSchema({ migrations, program }: Manifest): void {
  if (compareMigrations(migrations).isNewer)
    throw new BackupError(
      `This backup is of version ${program}, whose schema is newer than this version's. Install version ${program} or a later one.`,
    )
}

async function checkSpace(dataDir: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir)
  const needed = bytes + RESERVE_BYTES
  if (bavail * bsize < needed)
    throw new BackupError(
      `The restore requires ${Math.ceil(needed / 1024 ** 2)} MB of free disk space in ${dataDir}. Free some space first.`,
    )
}

/** Opens the unpacked database. Checks that it is the one of the manifest, and that its secret will be known. */
async function checkCopy(folder: string, { manifest }: BackupArchive, config: Config): Promise<void> {
  const { applied } = await openCopy(folder)
  if (applied.join() !== manifest.migrations.join())
    throw new BackupError(
      'The database in this backup is not the one that its manifest describes. Use another copy.',
    )
  const stored = await readFile(join(folder, 'secret'), 'utf8').catch(() => null)
  const secrets = config.secret ? [config.secret, config.secretPrevious] : [stored?.trim() ?? null]
  if (!secrets.some((secret) => secret !== null && secretIdOf(secret) === manifest.secret_id))
    throw new BackupError(
      config.secret
        ? 'SECRET is not the secret of this backup, so stored keys could not be decrypted. Set SECRET to the secret of the server that was backed up, or remove it if that server had none.'
        : 'The backup is of a server with SECRET in its environment. Set SECRET to the same value.',
    )
}

/**
 * Moves the existing entries to a new folder `replaced-…`, and the unpacked entries into their place. If a move fails,
 * moves everything back. A marker stops a server from starting between the moves if the process is killed.
 */
function replace(dataDir: string, unpacked: string): string | null {
  const marker = join(dataDir, RESTORE_MARKER)
  const replaced = join(dataDir, `replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`)
  const present = readdirSync(dataDir)
  const old = BACKED_UP.filter((name) => present.includes(name))
  const moves = [
    ...old.map((name) => [join(dataDir, name), join(replaced, name)] as const),
    ...readdirSync(unpacked)
      .filter((name) => BACKED_UP.includes(name))
      .map((name) => [join(unpacked, name), join(dataDir, name)] as const),
  ]
  writeFileSync(marker, '', { flush: true })
  const done: (readonly [string, string])[] = []
  try {
    if (old.length > 0) mkdirSync(replaced, { mode: 0o700 })
    for (const move of moves) {
      renameSync(...move)
      done.push(move)
    }
  } catch (error) {
    for (const [from, to] of done.reverse()) renameSync(to, from)
    rmSync(marker)
    throw new BackupError(`The data in ${dataDir} could not be replaced: ${(error as Error).message}`)
  }
  rmSync(marker)
  return old.length > 0 ? replaced : null
}
