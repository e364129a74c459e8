import { addAbortSignal, Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import type { Services } from '#platform/services.ts'
import type { RowOwner } from './delete-rows-system.ts'
import { conceptsOf } from './export-concepts.ts'
import { readLines } from './read-lines-system.ts'

const EXPORT_FORMAT = 'parley-export'
export const EXPORT_VERSION = 1

/** Whose data: an organization's, or a person's own in each of his. */
export interface ExportSubject {
  owners: RowOwner[]
  /** Whether only what is personal is told. */
  isPersonal: boolean
  /** What the manifest says of the subject. */
  about: Record<string, unknown>
}

type ExportDependencies = Pick<Services, 'database' | 'storage' | 'log' | 'tables'>

/** So many files that are not in the storage are named. */
const MISSING_MAX = 1_000

/**
 * Everything of a subject as a zip (docs/export.md), written as it is read: in memory are two pages of rows or
 * pieces of two files, and of each file its name. The manifest comes last, so that what has it is complete. Reading ends when the
 * stream is destroyed; what fails on the way destroys it.
 */
export function writeExport(deps: ExportDependencies, subject: ExportSubject): Readable {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  const leaving = new AbortController()
  output.once('close', () => leaving.abort())
  const fail = (error: unknown): void => {
    if (!leaving.signal.aborted) deps.log.warn({ err: error }, 'an export was cut off')
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
    // One page ahead, and not the sixteen that a stream of objects would read.
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

/** Answers the ids of the files that the storage does not have. */
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

/** Adds an entry and waits until its content was read, which is when all before it are written. */
async function addEntry({ zip, signal }: ExportWriter, name: string, content: Readable): Promise<void> {
  addAbortSignal(signal, content)
  zip.addReadStream(content, name)
  await finished(content)
}
