import { addAbortSignal, Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import type { Services } from '#platform/services.ts'
import type { RowOwner } from './delete-rows-system.ts'
import { conceptsOf } from './export-concepts.ts'
import { readLines } from './read-lines-system.ts'

const EXPORT_FORMAT = 'parley-export'
export const EXPORT_VERSION = 1

/** Subject of an export: an organization, or a user in all their organizations. */
export interface ExportSubject {
  owners: RowOwner[]
  /** True if only tables with personal data are exported. */
  isPersonal: boolean
  /** Fields that the subject adds to the manifest. */
  about: Record<string, unknown>
}

type ExportDependencies = Pick<Services, 'database' | 'storage' | 'log' | 'tables'>

/** Maximum number of missing files listed in the manifest. */
const MISSING_MAX = 1_000

/**
 * Streams all data of a subject as a ZIP file (docs/export.md). Memory holds at most two pages of rows or chunks of
 * two files, plus the names of entries. The manifest is written last, so an archive with a manifest is complete.
 * Destroying the stream stops the export, and an error destroys the stream.
 */
export function writeExport(deps: ExportDependencies, subject: ExportSubject): Readable {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  const leaving = new AbortController()
  output.once('close', () => leaving.abort())
  const fail = (error: unknown): void => {
    if (!leaving.signal.aborted) deps.log.warn({ err: error }, 'an export was interrupted')
    output.destroy(error as Error)
  }
  zip.on('error', fail)
  writeEntries(deps, subject, { zip, signal: leaving.signal }).catch(fail)
  return output
}

interface ExportWriter {
  zip: ZipFile
  signal: AbortSignal
}

async function writeEntries(
  deps: ExportDependencies,
  subject: ExportSubject,
  writer: ExportWriter,
): Promise<void> {
  const counts: Record<string, number> = {}
  for (const concept of conceptsOf(deps.tables)) {
    if (subject.isPersonal && !concept.isPersonal) continue
    const { name } = concept
    counts[name] = 0
    const lines = async function* () {
      for (const owner of subject.owners)
        for await (const page of readLines(deps.database, concept, owner)) {
          counts[name] = (counts[name] ?? 0) + page.length
          yield Buffer.from(`${page.join('\n')}\n`)
        }
    }
    // Reads only one page ahead. The default is 16.
    await addEntry(writer, `${name}.jsonl`, Readable.from(lines(), { highWaterMark: 1 }))
  }
  const missing: string[] = []
  for (const owner of subject.owners) missing.push(...(await writeFiles(deps, owner, writer)))
  const manifest = {
    format: EXPORT_FORMAT,
    version: EXPORT_VERSION,
    ...subject.about,
    exported_at: new Date().toISOString(),
    counts,
    missing_files: missing.slice(0, MISSING_MAX),
  }
  writer.zip.addBuffer(Buffer.from(JSON.stringify(manifest, null, 2)), 'manifest.json')
  writer.zip.end()
}

/** Writes all files of an owner. Returns the ids of files that are missing in storage. */
async function writeFiles(
  { database, storage }: ExportDependencies,
  owner: RowOwner,
  writer: ExportWriter,
): Promise<string[]> {
  const missing: string[] = []
  const concept = { name: 'files', table: 'uploads', columns: 'id storage_key', where: `status = 'stored'` }
  for await (const page of readLines(database, concept, owner))
    for (const line of page) {
      const { id, storage_key: key } = JSON.parse(line) as { id: string; storage_key: string }
      const content = await storage.open(key).catch(() => null)
      if (content) await addEntry(writer, `files/${id}`, content)
      else missing.push(id)
      writer.signal.throwIfAborted()
    }
  return missing
}

/** Adds an entry, and waits until its content has been read. By then, all earlier entries are written. */
async function addEntry({ zip, signal }: ExportWriter, name: string, content: Readable): Promise<void> {
  addAbortSignal(signal, content)
  zip.addReadStream(content, name)
  await finished(content)
}
