import yauzl from 'yauzl'
import { DOCX, EPUB, ODP, ODS, ODT, PPTX, XLSX } from './accepted-types.ts'

/** Entries of an archive that are examined. */
const ENTRIES_MAX = 10_000

/** The types of documents that are zip archives, by file extension, with a part that each of them has. */
const DOCUMENTS: Record<string, { contentType: string; part: RegExp }> = {
  docx: { contentType: DOCX, part: /^word\/document\d{0,3}\.xml$/i },
  xlsx: { contentType: XLSX, part: /^xl\/workbook\d{0,3}\.xml$/i },
  pptx: { contentType: PPTX, part: /^ppt\/presentation\d{0,3}\.xml$/i },
  odt: { contentType: ODT, part: /^content\.xml$/i },
  ods: { contentType: ODS, part: /^content\.xml$/i },
  odp: { contentType: ODP, part: /^content\.xml$/i },
  epub: { contentType: EPUB, part: /^META-INF\/container\.xml$/i },
}

/**
 * Returns the type of a document whose archive begins unusually, so that its first bytes do not show the type. Reads
 * the archive's directory. Returns null for other archives and damaged ones.
 */
export function detectPackage(path: string, extension: string): Promise<string | null> {
  const document = DOCUMENTS[extension]
  if (document === undefined) return Promise.resolve(null)
  return new Promise((resolve, reject) => {
    yauzl.open(path, { lazyEntries: true }, (error, zip) => {
      // A file system error has a `syscall`. Any other error is due to the file's content.
      if (error !== null)
        return (error as NodeJS.ErrnoException).syscall === undefined ? resolve(null) : reject(error)
      let count = 0
      const end = (contentType: string | null): void => {
        resolve(contentType)
        zip.close()
      }
      zip.on('error', () => end(null))
      zip.on('end', () => end(null))
      zip.on('entry', ({ fileName }) => {
        if (document.part.test(fileName)) end(document.contentType)
        else if (++count > ENTRIES_MAX) end(null)
        else zip.readEntry()
      })
      zip.readEntry()
    })
  })
}
