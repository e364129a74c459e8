import { sentence } from '#errors'
import { DOCX, EML, EPUB, ODP, ODS, ODT, PPTX, RTF, XLSX } from './accepted-types.ts'
import { type BoundedText, createBoundedText, type ExtractedText } from './bounded-text.ts'
import { isEncryptedOffice } from './detect-type.ts'
import { DocumentError } from './document-error.ts'
import type { FoundEncoding } from './text-encoding.ts'

export interface StoredFile {
  path: string
  contentType: string
  /** Encoding of a text file: a label that `isKnownEncoding` accepts. Default: the one that the content suggests. */
  encoding?: string
}

/** Returns the noun for files of this type in error messages. */
export const nameOfType = (contentType: string): string => NAMES[contentType] ?? 'file'

const NAMES: Record<string, string> = {
  'application/pdf': 'PDF',
  [DOCX]: 'document',
  [XLSX]: 'spreadsheet',
  [PPTX]: 'presentation',
  [ODT]: 'document',
  [ODS]: 'spreadsheet',
  [ODP]: 'presentation',
  [RTF]: 'document',
  [EPUB]: 'e-book',
  [EML]: 'email',
  'text/html': 'page',
}

/**
 * Returns the text of a file. Throws a DocumentError, or the file system's error. Runs in a reader process, because a
 * hostile file may crash a parser.
 */
export async function readFileText(file: StoredFile): Promise<ExtractedText> {
  const text = createBoundedText()
  const what = nameOfType(file.contentType)
  let encoding: FoundEncoding | undefined
  try {
    encoding = await read(file, text)
  } catch (error) {
    // A file system error has a `syscall`. It is not the file's fault.
    if (error instanceof DocumentError || (error as NodeJS.ErrnoException).syscall !== undefined) throw error
    if (isOffice(file) && (await isEncryptedOffice(file.path)))
      throw new DocumentError(sentence('document.encrypted', { kind: what }))
    throw new DocumentError(sentence('document.damaged', { kind: what }), { cause: error })
  }
  const extracted = text.finish()
  if (extracted.text.trim() === '')
    throw new DocumentError(
      what === 'PDF' ? sentence('document.no_text_in_pdf') : sentence('document.no_text', { kind: what }),
    )
  return encoding === undefined ? extracted : { ...extracted, encoding }
}

const isOffice = ({ contentType }: StoredFile): boolean => [DOCX, XLSX, PPTX].includes(contentType)

/** The readers of each format. Each parsing library is loaded for the first file of its type. */
const READERS: Record<string, (path: string, text: BoundedText) => Promise<void>> = {
  'application/pdf': async (...file) => (await import('./read-pdf.ts')).readPdf(...file),
  [DOCX]: async (...file) => (await import('./read-docx.ts')).readDocx(...file),
  [XLSX]: async (...file) => (await import('./read-xlsx.ts')).readXlsx(...file),
  [PPTX]: async (...file) => (await import('./read-pptx.ts')).readPptx(...file),
  [ODT]: async (...file) => (await import('./read-odf.ts')).readOdt(...file),
  [ODS]: async (...file) => (await import('./read-odf.ts')).readOds(...file),
  [ODP]: async (...file) => (await import('./read-odf.ts')).readOdp(...file),
  [RTF]: async (...file) => (await import('./read-rtf.ts')).readRtf(...file),
  [EPUB]: async (...file) => (await import('./read-epub.ts')).readEpub(...file),
  [EML]: async (...file) => (await import('./read-eml.ts')).readEml(...file),
  'text/html': async (...file) => (await import('./read-html.ts')).readHtml(...file),
}
const PLAIN_TYPES = ['text/plain', 'text/csv', 'text/markdown']

/** Reads a file into `text`. Returns the encoding of a text file, if it was chosen or guessed. */
async function read(
  { path, contentType, encoding }: StoredFile,
  text: BoundedText,
): Promise<FoundEncoding | undefined> {
  if (PLAIN_TYPES.includes(contentType))
    return (await import('./read-plain-text.ts')).readPlainText(path, text, encoding)
  const readFormat = READERS[contentType]
  if (readFormat === undefined) throw new DocumentError(sentence('document.type'))
  await readFormat(path, text)
  return undefined
}
