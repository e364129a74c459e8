import mammoth from 'mammoth'
import type { BoundedText } from './bounded-text.ts'
import { htmlToMarkdown } from './html-to-markdown.ts'
import { readOfficePackage } from './office-package.ts'

/**
 * Extracts the text of a DOCX as Markdown: headings, lists, tables, links and footnotes. Images become their alt
 * text.
 */
export async function readDocx(path: string, text: BoundedText): Promise<void> {
  const buffer = await readOfficePackage(path, 'document')
  const { value } = await mammoth.convertToHtml(
    { buffer },
    { convertImage: NO_PICTURES, includeEmbeddedStyleMap: false, externalFileAccess: false },
  )
  htmlToMarkdown(value, text)
}

const NO_PICTURES = mammoth.images.imgElement(() => Promise.resolve({ src: '' }))
