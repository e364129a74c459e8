import { sentence } from '#errors'
import { DOCX, XLSX } from './accepted-types.ts'
import { type BoundedText, createBoundedText, type ExtractedText } from './bounded-text.ts'
import { isEncryptedOffice } from './detect-type.ts'
import { DocumentError } from './document-error.ts'

export interface StoredFile {
  path: string
  contentType: string
}

/** Returns the noun for files of this type in error messages. */
export const nameOfType = (contentType: string): string => NAMES[contentType] ?? 'file'

const NAMES: Record<string, string> = {
  'application/pdf': 'PDF',
  [DOCX]: 'document',
  [XLSX]: 'spreadsheet',
  'text/html': 'page',
}

/**
 * Returns the text of a file. Throws a DocumentError, or the file system's error. Runs in a reader process, because a
 * hostile file may crash a parser.
 */
export async function readFileText(file: StoredFile): Promise<ExtractedText> {
  const text = createBoundedText()
  const what = nameOfType(file.contentType)
  try {
    await read(file, text)
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
  return extracted
}

const isOffice = ({ contentType }: StoredFile): boolean => contentType === DOCX || contentType === XLSX

/** Reads a file with the parser for its type. Each parsing library is loaded for the first file of its type. */
async function read({ path, contentType }: StoredFile, text: BoundedText): Promise<void> {
  switch (contentType) {
    case 'application/pdf':
      return (await import('./read-pdf.ts')).readPdf(path, text)
    case DOCX:
      return (await import('./read-docx.ts')).readDocx(path, text)
    case XLSX:
      return (await import('./read-xlsx.ts')).readXlsx(path, text)
    case 'text/plain':
    case 'text/csv':
    case 'text/markdown':
      return (await import('./read-plain-text.ts')).readPlainText(path, text)
    case 'text/html':
      return (await import('./read-html.ts')).readHtml(path, text)
    default:
      throw new DocumentError(sentence('document.type'))
  }
}
