import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { BACKED_UP } from '#database/snapshot.ts'
import { BackupError, CHECKSUMS, FORMAT, FORMAT_VERSION, MANIFEST, type Manifest } from './manifest.ts'

/** Maximum number of entries. Limited because their names are kept in memory. */
const ENTRIES_MAX = 2_000_000
const MANIFEST_BYTES_MAX = 1024 * 1024
/** Maximum size of the checksums, in bytes: a path of 100 characters per entry. */
const CHECKSUMS_BYTES_MAX = ENTRIES_MAX * 170
const ENCRYPTED = 0x1
const CHECKSUM_LINE = /^([0-9a-f]{64}) {2}(.+)$/

/** A backup whose manifest and checksums have been read. The content is untrusted. */
export interface BackupArchive {
  manifest: Manifest
  /** The total size of the files according to the archive's directory, in bytes. */
  bytes: number
  /** Writes all files to an empty folder. Throws a BackupError if a file is damaged, missing or unknown. */
  unpack(folder: string): Promise<void>
  close(): void
}

/** Opens a backup. Throws a BackupError if it is not a complete backup, or has a newer format. */
export async function openBackup(file: string): Promise<BackupArchive> {
  const zip = await openZip(file)
  try {
    const entries = await listEntries(zip)
    const manifestText = await readSmall(zip, entries.get(MANIFEST), MANIFEST_BYTES_MAX)
    const manifest = parseManifest(manifestText)
    const checksums = parseChecksums(await readSmall(zip, entries.get(CHECKSUMS), CHECKSUMS_BYTES_MAX))
    if (checksums.get(MANIFEST) !== sha256(manifestText)) throw damaged('its manifest was changed')
    const files = [...entries.values()].filter(({ fileName }) => BACKED_UP.includes(topOf(fileName)))
    return {
      manifest,
      bytes: files.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0),
      unpack: (folder) => unpack(zip, files, checksums, folder),
      close: () => zip.close(),
    }
  } catch (error) {
    zip.close()
    throw explain(error)
  }
}

async function unpack(
  zip: ZipFile,
  files: readonly Entry[],
  checksums: ReadonlyMap<string, string>,
  folder: string,
): Promise<void> {
  const missing = new Set(checksums.keys())
  missing.delete(MANIFEST)
  for (const entry of files) {
    const path = entry.fileName
    if (path.endsWith('/')) {
      await mkdir(join(folder, path), { recursive: true, mode: 0o700 })
      continue
    }
    if (!missing.delete(path)) throw damaged(`${path} has no checksum`)
    await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 })
    if ((await extract(zip, entry, join(folder, path))) !== checksums.get(path))
      throw damaged(`${path} does not match its checksum`)
  }
  const [lost] = missing
  if (lost !== undefined) throw damaged(`${lost} is missing`)
}

/** Writes an entry to a new file. Returns its SHA-256. yauzl enforces the size that the directory declares. */
async function extract(zip: ZipFile, entry: Entry, path: string): Promise<string> {
  const hash = createHash('sha256')
  try {
    await pipeline(
      await openEntry(zip, entry),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk)
          yield chunk
        }
      },
      createWriteStream(path, { flags: 'wx', mode: 0o600 }),
    )
  } catch (error) {
    throw explain(error)
  }
  return hash.digest('hex')
}

const openZip = (file: string): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    yauzl.open(file, { lazyEntries: true, autoClose: false, strictFileNames: true }, (error, zip) =>
      error === null ? resolve(zip) : reject(explain(error)),
    )
  })

const openEntry = (zip: ZipFile, entry: Entry): Promise<Readable> =>
  new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error === null ? resolve(stream) : reject(error)))
  })

/** Lists the entries by name. yauzl refuses absolute paths, backslashes and `..`. */
function listEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  return new Promise((resolve, reject) => {
    if (zip.entryCount > ENTRIES_MAX) return reject(damaged(`it has more than ${ENTRIES_MAX} entries`))
    const entries = new Map<string, Entry>()
    zip.on('error', reject)
    zip.on('end', () => resolve(entries))
    zip.on('entry', (entry: Entry) => {
      const fault = faultOf(entry, entries)
      if (fault !== null) return reject(damaged(fault))
      entries.set(entry.fileName, entry)
      zip.readEntry()
    })
    zip.readEntry()
  })
}

function faultOf(entry: Entry, others: ReadonlyMap<string, Entry>): string | null {
  const { fileName: name, generalPurposeBitFlag: flags } = entry
  const shown = JSON.stringify(name.slice(0, NAME_SHOWN))
  if (name !== MANIFEST && name !== CHECKSUMS && !BACKED_UP.includes(topOf(name)))
    return `the entry ${shown} does not belong to a backup`
  if (name.split('/').some((part) => part === '.' || part === '..'))
    return `the entry ${shown} has a bad path`
  if (others.has(name) || others.has(`${name}/`)) return `the entry ${shown} occurs twice`
  if (flags & ENCRYPTED) return `the entry ${shown} is encrypted`
  return null
}

/** Maximum length of an entry's name in an error message, because the name is untrusted. */
const NAME_SHOWN = 90

const topOf = (path: string): string => path.split('/')[0] ?? ''

async function readSmall(zip: ZipFile, entry: Entry | undefined, bytesMax: number): Promise<Buffer> {
  if (!entry) throw damaged(`it has no ${MANIFEST} or no ${CHECKSUMS}`)
  if (entry.uncompressedSize > bytesMax) throw damaged(`${entry.fileName} is too large`)
  const chunks: Buffer[] = []
  for await (const chunk of await openEntry(zip, entry)) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function parseManifest(text: Buffer): Manifest {
  const found = JSON.parse(text.toString()) as Partial<Manifest> | null
  if (found?.format !== FORMAT || !Number.isInteger(found.version))
    throw damaged('its manifest is not one of a backup')
  if (Number(found.version) > FORMAT_VERSION)
    throw new BackupError(
      `This backup has format ${found.version}, and this version of Parley reads up to ${FORMAT_VERSION}. Install the version that made it: ${String(found.program).slice(0, NAME_SHOWN)}.`,
    )
  const { migrations, secret_id: secretId } = found
  if (
    !Array.isArray(migrations) ||
    migrations.some((time) => !Number.isSafeInteger(time)) ||
    typeof secretId !== 'string'
  )
    throw damaged('its manifest is incomplete')
  return found as Manifest
}

function parseChecksums(text: Buffer): Map<string, string> {
  const lines = text.toString().split('\n')
  if (lines.pop() !== '') throw damaged(`${CHECKSUMS} is cut off`)
  return new Map(
    lines.map((line) => {
      const [, checksum = '', path] = CHECKSUM_LINE.exec(line) ?? []
      if (path === undefined) throw damaged(`${CHECKSUMS} has an unreadable line`)
      return [path, checksum]
    }),
  )
}

const sha256 = (text: Buffer): string => createHash('sha256').update(text).digest('hex')

const damaged = (reason: string): BackupError =>
  new BackupError(`This file is not a complete backup of Parley: ${reason}. Use another copy of it.`)

/** Converts errors of yauzl, zlib and JSON. Errors of the system keep their own message, such as a full disk. */
function explain(error: unknown): Error {
  if (error instanceof BackupError) return error
  const { syscall, message } = error as NodeJS.ErrnoException
  return syscall === undefined ? damaged(message) : new BackupError(message)
}
