import type { Readable } from 'node:stream'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { readAll } from '../net/exchange-bounds.ts'

const ENTRIES_MAX = 20_000
const METADATA_BYTES_MAX = 1_000_000

/**
 * Returns the names of a wheel's dependencies, from `Requires-Dist` in its METADATA file (Python core metadata).
 * Omits dependencies with a marker, such as extras, because markers are not evaluated.
 */
export async function readMetadata(path: string): Promise<string[]> {
  const zip = await openZip(path)
  try {
    const entry = await findMetadata(zip)
    if (entry === null || entry.uncompressedSize > METADATA_BYTES_MAX) return []
    const bytes = await readAll(await openEntry(zip, entry), METADATA_BYTES_MAX)
    const [head = ''] = (bytes ?? Buffer.alloc(0)).toString('utf8').split(/\r?\n\r?\n/)
    return head.split(/\r?\n/).flatMap((line) => {
      const [, name, rest = ''] = /^Requires-Dist:\s*([A-Za-z0-9][A-Za-z0-9._-]*)(.*)$/i.exec(line) ?? []
      return name === undefined || rest.includes(';') ? [] : [name]
    })
  } finally {
    zip.close()
  }
}

const openZip = (path: string): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    yauzl.open(path, { lazyEntries: true, autoClose: false }, (error, zip) =>
      error === null ? resolve(zip) : reject(error),
    )
  })

function findMetadata(zip: ZipFile): Promise<Entry | null> {
  return new Promise((resolve, reject) => {
    let count = 0
    zip.on('error', reject)
    zip.on('end', () => resolve(null))
    zip.on('entry', (entry: Entry) => {
      if (/^[^/]+\.dist-info\/METADATA$/.test(entry.fileName)) resolve(entry)
      else if (++count > ENTRIES_MAX) resolve(null)
      else zip.readEntry()
    })
    zip.readEntry()
  })
}

const openEntry = (zip: ZipFile, entry: Entry): Promise<Readable> =>
  new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error === null ? resolve(stream) : reject(error)))
  })
