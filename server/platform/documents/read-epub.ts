import { sentence } from '#errors'
import type { BoundedText } from './bounded-text.ts'
import { DocumentError } from './document-error.ts'
import { type OfficePackage, resolvePart, withPackage } from './office-package.ts'
import { decodePage } from './page-encoding.ts'
import { pageToMarkdown } from './page-to-markdown.ts'
import { parsePage } from './read-web-page.ts'
import { XmlError } from './xml.ts'

/** Maximum size of one chapter. Parsing takes 30 times as much memory. */
const CHAPTER_BYTES_MAX = 5 * 1024 * 1024

/**
 * Extracts the text of an EPUB as Markdown: the title, the authors, and the chapters in reading order. Throws a
 * DocumentError if the chapters are encrypted.
 */
export function readEpub(path: string, text: BoundedText): Promise<void> {
  return withPackage(path, 'e-book', async (parts) => {
    const name = await findPackageFile(parts)
    const { chapters, title, authors } = await readPackageFile(parts, name)
    const encrypted = await readEncrypted(parts)
    if (chapters.some((chapter) => encrypted.has(chapter)))
      throw new DocumentError(sentence('document.encrypted', { kind: 'e-book' }))
    if (title !== '') text.add(`# ${title}\n\n`)
    if (authors.length > 0) text.add(`${authors.join(', ')}\n\n`)
    for (const chapter of chapters) {
      if (text.isFull) return
      if (!parts.has(chapter)) continue
      const content = await parts.read(chapter)
      if (content.length > CHAPTER_BYTES_MAX)
        throw new DocumentError(sentence('document.memory', { kind: 'e-book' }))
      const { body } = await parsePage(closeElements(decodePage(content, '')))
      pageToMarkdown(body, 'about:blank', text)
      text.add('\n')
    }
  })
}

const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))

/** Closes empty elements of XHTML, such as `<title/>`. Parsers of HTML would take the rest of the page as their content. */
const closeElements = (page: string): string =>
  page.replace(/<([a-zA-Z][\w:-]{0,40})(\s[^<>]{0,2000})?\/>/g, (whole, name, attributes = '') =>
    VOID.has(name.toLowerCase()) ? whole : `<${name}${attributes}></${name}>`,
  )

/** Returns the name of the file that lists the chapters (EPUB 3.3, container.xml). */
async function findPackageFile(parts: OfficePackage): Promise<string> {
  let name = ''
  await parts.parse('META-INF/container.xml', {
    open(element, attributes) {
      if (/(^|:)rootfile$/.test(element) && name === '')
        name = resolvePart('', attributes.get('full-path') ?? '')
    },
    close() {},
    text() {},
  })
  if (!parts.has(name)) throw new XmlError('The package file is missing')
  return name
}

interface Book {
  chapters: string[]
  title: string
  authors: string[]
}

async function readPackageFile(parts: OfficePackage, name: string): Promise<Book> {
  const folder = name.slice(0, name.lastIndexOf('/') + 1)
  const items = new Map<string, string>()
  const spine: string[] = []
  const book: Book = { chapters: [], title: '', authors: [] }
  let words: string | null = null
  const local = (element: string): string => element.slice(element.indexOf(':') + 1)
  await parts.parse(name, {
    open(element, attributes) {
      const known = local(element)
      if (known === 'item' && /html|xml/i.test(attributes.get('media-type') ?? ''))
        items.set(attributes.get('id') ?? '', resolvePart(folder, attributes.get('href') ?? ''))
      if (known === 'itemref') spine.push(attributes.get('idref') ?? '')
      words = known === 'title' || known === 'creator' ? '' : null
    },
    close(element) {
      const found = words?.replace(/\s+/g, ' ').trim() ?? ''
      words = null
      if (found === '') return
      if (local(element) === 'title') book.title ||= found
      else book.authors.push(found)
    },
    text(piece) {
      if (words !== null) words += piece
    },
  })
  book.chapters = spine.map((id) => items.get(id) ?? '').filter((chapter) => chapter !== '')
  return book
}

/** Returns the names of the encrypted parts. Books with obfuscated fonts only are not protected. */
async function readEncrypted(parts: OfficePackage): Promise<Set<string>> {
  const names = new Set<string>()
  if (!parts.has('META-INF/encryption.xml')) return names
  await parts.parse('META-INF/encryption.xml', {
    open(element, attributes) {
      if (/(^|:)CipherReference$/.test(element)) names.add(resolvePart('', attributes.get('URI') ?? ''))
    },
    close() {},
    text() {},
  })
  return names
}
