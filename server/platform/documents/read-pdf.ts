import { readFile } from 'node:fs/promises'
import { getDocumentProxy } from 'unpdf'
import { sentence } from '#errors'
import type { BoundedText } from './bounded-text.ts'
import { DocumentError } from './document-error.ts'

/**
 * Extracts the text of a PDF, with form feeds between pages. Form feeds within a page are replaced, so that a form
 * feed always starts a new page.
 */
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
      // Only text is needed: disable system fonts, images and console output.
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
