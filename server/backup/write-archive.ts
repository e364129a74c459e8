import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, readdirSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { CHECKSUMS, MANIFEST, type Manifest } from './manifest.ts'

/** Only the operator may read a backup, because it contains the secret. */
const ARCHIVE_MODE = 0o600

/**
 * Writes entries of a folder to a ZIP file, then the manifest and the checksums. The file appears under its name when it
 * is complete and flushed to the disk. Memory holds a chunk of one file, and the names and checksums of all files.
 */
export async function writeArchive(
  file: string,
  folder: string,
  entries: readonly string[],
  describe: (totals: Pick<Manifest, 'files' | 'bytes'>) => Manifest,
): Promise<Manifest> {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  zip.on('error', (error) => output.destroy(error as Error))
  // A new file, so that nobody else has it open or has chosen where it leads.
  const partial = `${file}.${randomUUID()}.partial`
  try {
    const writing = pipeline(
      output,
      createWriteStream(partial, { flags: 'wx', mode: ARCHIVE_MODE, flush: true }),
    )
    const [manifest] = await Promise.all([addEntries(zip, output, folder, entries, describe), writing])
    await rename(partial, file)
    return manifest
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

async function addEntries(
  zip: ZipFile,
  output: Readable,
  folder: string,
  entries: readonly string[],
  describe: (totals: Pick<Manifest, 'files' | 'bytes'>) => Manifest,
): Promise<Manifest> {
  try {
    const totals = { files: 0, bytes: 0 }
    const checksums: string[] = []
    for (const path of listPaths(folder, entries)) {
      if (path.endsWith('/')) zip.addEmptyDirectory(path)
      else {
        const { bytes, sha256 } = await addFile(zip, join(folder, path), path)
        totals.files++
        totals.bytes += bytes
        checksums.push(`${sha256}  ${path}\n`)
      }
      if (output.destroyed) break // the disk is full, or the file was deleted: the pipeline throws
    }
    const manifest = describe(totals)
    const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
    checksums.push(`${createHash('sha256').update(text).digest('hex')}  ${MANIFEST}\n`)
    zip.addBuffer(text, MANIFEST)
    zip.addBuffer(Buffer.from(checksums.join('')), CHECKSUMS)
    zip.end()
    return manifest
  } catch (error) {
    output.destroy(error as Error)
    throw error
  }
}

/** Adds a file, and waits until it has been read. By then, all earlier entries are written. */
async function addFile(
  zip: ZipFile,
  source: string,
  path: string,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  const content = Readable.from(
    (async function* () {
      for await (const chunk of createReadStream(source) as AsyncIterable<Buffer>) {
        hash.update(chunk)
        bytes += chunk.length
        yield chunk
      }
    })(),
    { highWaterMark: 1 },
  )
  zip.addReadStream(content, path)
  await finished(content)
  return { bytes, sha256: hash.digest('hex') }
}

/** Yields the paths of files, and of empty folders with a slash at the end. PostgreSQL requires its empty folders. */
function* listPaths(folder: string, names: readonly string[]): Generator<string> {
  const found = readdirSync(folder, { withFileTypes: true })
  for (const entry of found.filter(({ name }) => names.includes(name)))
    if (entry.isFile()) yield entry.name
    else yield* listFolder(folder, entry.name)
}

function* listFolder(root: string, folder: string): Generator<string> {
  const entries = readdirSync(join(root, folder), { withFileTypes: true })
  if (entries.length === 0) yield `${folder}/`
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) yield* listFolder(root, path)
    else if (entry.isFile()) yield path
  }
}
