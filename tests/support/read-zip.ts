import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import yauzl, { type Entry, type Options, type ZipFile } from 'yauzl'

const open = promisify<Buffer, Options, ZipFile>(yauzl.fromBuffer)

/** Returns the contents of a zip archive's entries by name, in the order of the archive. */
export async function readZip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const zip = await open(bytes, { lazyEntries: true })
  const read = promisify<Entry, NodeJS.ReadableStream>(zip.openReadStream.bind(zip))
  const entries = new Map<string, Buffer>()
  await new Promise<void>((resolve, reject) => {
    zip.on('end', resolve).on('error', reject)
    zip.on('entry', (entry: Entry) => {
      read(entry)
        .then(async (stream) => {
          entries.set(entry.fileName, await buffer(stream))
          zip.readEntry()
        })
        .catch(reject)
    })
    zip.readEntry()
  })
  return entries
}
