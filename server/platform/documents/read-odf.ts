import { sentence } from '#errors'
import { type BoundedText, createBoundedText } from './bounded-text.ts'
import { DocumentError } from './document-error.ts'
import { OdfSheets } from './odf-sheets.ts'
import { OdfStyles } from './odf-styles.ts'
import { OdfText } from './odf-text.ts'
import { type OfficePackage, withPackage } from './office-package.ts'
import { addSection } from './read-pptx.ts'
import { requireRoot, type XmlHandler } from './xml.ts'

/** Formulas and charts in one document that are read. */
const OBJECTS_MAX = 500
const CONTENT = 'content.xml'
const STYLES = 'styles.xml'

/**
 * Extracts the text of an ODT as Markdown, as `readDocx` does. Headers come first and footers last, each once. Notes
 * follow the text. Deleted and hidden text and comments are left out.
 */
export function readOdt(path: string, text: BoundedText): Promise<void> {
  return withPackage(path, 'document', async (parts) => {
    await refuseEncrypted(parts, 'document')
    const styles = new OdfStyles()
    const margins = await readMargins(parts, styles)
    for (const header of margins.header) text.add(`${header}\n\n`)
    const body = new OdfText(text, styles, await readObjects(parts))
    await parts.parse(CONTENT, requireRoot('office:document-content', body))
    body.finish()
    body.notes.forEach((note, index) => {
      text.add(`${index + 1}. ${note}\n`)
    })
    if (body.notes.length > 0) text.add('\n')
    for (const footer of margins.footer) text.add(`${footer}\n\n`)
  })
}

/** Extracts the text of an ODP as Markdown, as `readPptx` does. */
export function readOdp(path: string, text: BoundedText): Promise<void> {
  return withPackage(path, 'presentation', async (parts) => {
    await refuseEncrypted(parts, 'presentation')
    const body = new OdfText(text, new OdfStyles(), await readObjects(parts))
    await parts.parse(CONTENT, requireRoot('office:document-content', body))
    body.slides.forEach((slide, index) => {
      addSection(text, { number: index + 1, ...slide })
    })
  })
}

/** Extracts the cells of an ODS, as `readXlsx` does. */
export function readOds(path: string, text: BoundedText): Promise<void> {
  return withPackage(path, 'spreadsheet', async (parts) => {
    await refuseEncrypted(parts, 'spreadsheet')
    await parts.parse(CONTENT, requireRoot('office:document-content', new OdfSheets(text)))
  })
}

async function refuseEncrypted(parts: OfficePackage, kind: string): Promise<void> {
  const manifest = 'META-INF/manifest.xml'
  if (!parts.has(manifest)) return
  let isEncrypted = false
  await parts.parse(manifest, {
    get isDone() {
      return isEncrypted
    },
    open(name) {
      isEncrypted ||= /(^|:)encryption-data$/.test(name)
    },
    close() {},
    text() {},
  })
  if (isEncrypted) throw new DocumentError(sentence('document.encrypted', { kind }))
}

/** Reads the styles, and the headers and footers, which are a part of the page styles. */
async function readMargins(parts: OfficePackage, styles: OdfStyles): Promise<OdfText['margins']> {
  const reader = new OdfText(createBoundedText(), styles, new Map())
  if (parts.has(STYLES)) await parts.parse(STYLES, reader)
  return reader.margins
}

/** Returns the formulas and charts that a document embeds, by the name of their folder. */
async function readObjects(parts: OfficePackage): Promise<Map<string, string>> {
  const objects = new Map<string, string>()
  for (const name of parts.names) {
    const [, folder] = /^([^/]+)\/content\.xml$/.exec(name) ?? []
    if (folder === undefined || objects.size >= OBJECTS_MAX) continue
    const text = createBoundedText()
    const object = objectReader(text)
    try {
      await parts.parse(name, object)
    } catch (error) {
      if (error instanceof DocumentError) throw error
    }
    const words = text.finish().text.trim()
    if (words !== '') objects.set(folder, words)
  }
  return objects
}

/** Reads a formula as its source text, such as `E=mc^2`, or as its characters. Reads a chart as its table. */
function objectReader(text: BoundedText): XmlHandler {
  const chart = new OdfText(text, new OdfStyles(), new Map())
  let isFormula: boolean | null = null
  let source: string | null = null
  let characters = ''
  let isAnnotation = false
  return {
    open(name, attributes) {
      isFormula ??= name.startsWith('math:')
      isAnnotation = name === 'math:annotation'
      if (!isFormula) chart.open(name, attributes)
    },
    close(name) {
      isAnnotation = false
      if (isFormula === false) chart.close(name)
      if (name === 'math:math') text.add(`$${(source ?? characters).replace(/\s+/g, ' ').trim()}$`)
    },
    text(words) {
      if (isFormula === false) chart.text(words)
      else if (isAnnotation) source = (source ?? '') + words
      else characters += words.trim()
    },
  }
}
