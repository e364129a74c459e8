import { readFile } from 'node:fs/promises'
import { getDocumentProxy } from 'unpdf'
import { sentence } from '#errors'
import type { BoundedText } from './bounded-text.ts'
import { DocumentError } from './document-error.ts'

/** The text of a PDF, its pages parted by form feeds, so that page n is the n-th piece. No page holds one itself. */
export async function readPdf(path: string, text: BoundedText): Promise<void> {
  const document = await openPdf(path)
  try {
    for (let number = 1; number <= document.numPages && !text.isFull; number++) {
      if (number > 1) text.add('\f')
      text.add(await readPage(document, number))
    }
  } finally {
    await document.loadingTask.destroy()
  }
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

async function openPdf(path: string): Promise<Pdf> {
  const data = new Uint8Array(await readFile(path))
  try {
    return await getDocumentProxy(data, {
      // Only text is wanted: no font of the system, no picture, and no word on the console.
      useSystemFonts: false,
      disableFontFace: true,
      maxImageSize: 0,
      verbosity: 0,
    })
  } catch (error) {
    if ((error as Error).name === 'PasswordException')
      throw new DocumentError(sentence('document.encrypted', { kind: 'PDF' }), {
        cause: error,
      })
    throw error
  }
}

async function readPage(document: Pdf, number: number): Promise<string> {
  const page = await document.getPage(number)
  const { items } = await page.getTextContent()
  const lines = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
  page.cleanup()
  return lines.join('').replaceAll('\f', '\n')
}
