import { readFile } from 'node:fs/promises'
import { getDocumentProxy } from 'unpdf'
import { sentence } from '#errors'
import type { BoundedText } from './bounded-text.ts'
import { DocumentError } from './document-error.ts'
import { joinBrokenWords } from './join-broken-words.ts'
import { type Annotation, isUnchecked, writeAnnotations } from './pdf-annotations.ts'

/**
 * Extracts the text of a PDF, with form feeds between pages. Form feeds within a page are replaced, so that a form
 * feed always starts a new page. The values of form fields and the text of notes follow the text of their page. Words
 * that are hyphenated at the end of a line are joined.
 *
 * A damaged page is replaced by a remark. Throws the error of the first damaged page if no page has text.
 */
export async function readPdf(path: string, text: BoundedText): Promise<void> {
  const restore = keepSoftHyphens()
  try {
    const document = await openPdf(path)
    try {
      await readPages(document, text)
    } finally {
      await document.loadingTask.destroy()
    }
  } finally {
    restore()
  }
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

async function openPdf(path: string): Promise<Pdf> {
  const data = new Uint8Array(await readFile(path))
  try {
    return await getDocumentProxy(data, {
      // Only text is needed: disable system fonts, images and console output.
      useSystemFonts: false,
      disableFontFace: true,
      maxImageSize: 0,
      verbosity: 0,
      useWorkerFetch: false,
      BinaryDataFactory: CharacterMaps,
    })
  } catch (error) {
    if ((error as Error).name === 'PasswordException')
      throw new DocumentError(sentence('document.encrypted', { kind: 'PDF' }), {
        cause: error,
      })
    throw error
  }
}

const CHARACTER_MAPS = new URL('./cmaps/', import.meta.url)

/**
 * Reads the character maps that every PDF reader must know by name (PDF 32000-1, 9.7.5.2). Other data of pdf.js only
 * serves rendering.
 */
class CharacterMaps {
  async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    if (kind !== 'cMapUrl' || !/^[\w-]{1,40}\.bcmap$/.test(filename))
      throw new Error(`PDF.js requests ${kind} ${filename}, which is not needed for text`)
    return new Uint8Array(await readFile(new URL(filename, CHARACTER_MAPS)))
  }
}

async function readPages(document: Pdf, text: BoundedText): Promise<void> {
  let hasText = false
  let failure: unknown
  for (let number = 1; number <= document.numPages && !text.isFull; number++) {
    if (number > 1) text.add('\f')
    try {
      const page = await readPage(document, number)
      hasText ||= page.trim() !== ''
      text.add(page)
    } catch (error) {
      failure ??= error
      text.add(`[${sentence('document.page_damaged', { number })}]`)
    }
  }
  if (!hasText && failure !== undefined) throw failure
}

async function readPage(document: Pdf, number: number): Promise<string> {
  const page = await document.getPage(number)
  const { items } = await page.getTextContent()
  const lines = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
  const annotations: Annotation[] = await page.getAnnotations()
  page.cleanup()
  const content = joinBrokenWords(lines.join(''))
  const written = writeAnnotations(annotations)
  // A scanned form has no text, even if none of its boxes is checked.
  if (content.trim() === '' && written.every(isUnchecked)) return ''
  return [content, ...written]
    .filter((part) => part !== '')
    .join('\n')
    .replaceAll('\f', '\n')
    .replace(LIGATURES, (ligature) => ligature.normalize('NFKC'))
}

/** Latin ligatures. PDF.js replaces most of them in pages, but none in annotations. */
const LIGATURES = /[\ufb00-\ufb06]/g

/**
 * PDF.js drops soft hyphens, and with them the evidence that a word continues in the next line. It has no option that
 * keeps them, but finds them with `match`. Returns a function that undoes the change.
 */
function keepSoftHyphens(): () => void {
  const { match } = String.prototype
  // The process reads one file at a time.
  String.prototype.match = function (this: string, pattern: { [Symbol.match](text: string): unknown }) {
    return this.toString() === '\u00ad' ? null : match.call(this, pattern as RegExp)
  } as typeof match
  return () => {
    String.prototype.match = match
  }
}
