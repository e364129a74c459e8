import { type BoundedText, createBoundedText } from './bounded-text.ts'
import { DocxBody } from './docx-body.ts'
import type { DocxContext } from './docx-context.ts'
import { DocxNumbering, DocxStyles } from './docx-styles.ts'
import { readEmbedded } from './embedded-parts.ts'
import { mainPart, type OfficePackage, type Relation, readRelations, withPackage } from './office-package.ts'
import { requireRoot } from './xml.ts'

/** Headers and footers of one document that are read. */
const MARGINS_MAX = 100

/**
 * Extracts the text of a DOCX as Markdown: headings, numbered lists, tables, links, equations as LaTeX, text boxes,
 * check boxes and notes. Headers come first and footers last, each once. Images become their alt text. Deleted and
 * hidden text and comments are left out.
 */
export function readDocx(path: string, text: BoundedText): Promise<void> {
  return withPackage(path, 'document', async (parts) => {
    const name = await mainPart(parts, 'word/document.xml')
    const relations = await readRelations(parts, name)
    const context = await readContext(parts, relations)
    const headers = await readMargins(parts, relations, context, 'header')
    const footers = await readMargins(parts, relations, context, 'footer')
    for (const header of headers) text.add(`${header}\n\n`)
    const body = new DocxBody(text, context)
    await parts.parse(name, requireRoot('w:document', body))
    body.finish()
    addNotes(context, text)
    for (const footer of footers) text.add(`${footer}\n\n`)
  })
}

async function readContext(parts: OfficePackage, relations: Map<string, Relation>): Promise<DocxContext> {
  const styles = new DocxStyles()
  const numbering = new DocxNumbering(styles)
  const notes = { texts: new Map<string, string>(), numbers: new Map<string, number>() }
  const context = {
    styles,
    numbering,
    notes,
    relations,
    embedded: new Map<string, string>(),
    isMargin: false,
  }
  const partsOf = (type: string): string[] =>
    [...relations.values()].filter((relation) => relation.type === type).map(({ target }) => target)
  for (const target of partsOf('styles')) if (parts.has(target)) await parts.parse(target, styles.reader())
  for (const target of partsOf('numbering'))
    if (parts.has(target)) await parts.parse(target, numbering.reader())
  for (const target of [...partsOf('footnotes'), ...partsOf('endnotes')])
    if (parts.has(target)) {
      const own = { ...context, relations: await readRelations(parts, target) }
      await parts.parse(target, new DocxBody(createBoundedText(), own))
    }
  context.embedded = await readEmbedded(parts, relations)
  return context
}

/** Returns the distinct texts of the headers or footers. */
async function readMargins(
  parts: OfficePackage,
  relations: Map<string, Relation>,
  context: DocxContext,
  type: 'header' | 'footer',
): Promise<Set<string>> {
  const texts = new Set<string>()
  const targets = [...relations.values()]
    .filter((relation) => relation.type === type && parts.has(relation.target))
    .map(({ target }) => target)
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  for (const target of targets.slice(0, MARGINS_MAX)) {
    const text = createBoundedText()
    const body = new DocxBody(text, {
      ...context,
      relations: await readRelations(parts, target),
      embedded: new Map(),
      isMargin: true,
    })
    await parts.parse(target, body)
    body.finish()
    const words = text.finish().text.trim()
    if (words !== '') texts.add(words)
  }
  return texts
}

function addNotes({ notes: { texts, numbers } }: DocxContext, text: BoundedText): void {
  for (const [key, number] of numbers) text.add(`${number}. ${(texts.get(key) ?? '').replace(/\s+/g, ' ')}\n`)
  if (numbers.size > 0) text.add('\n')
}
