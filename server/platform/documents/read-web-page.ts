import { createBoundedText, type ExtractedText } from './bounded-text.ts'
import { decodePage } from './page-encoding.ts'
import { type Refresh, refreshIn } from './page-refresh.ts'
import { type PageElement, pageToMarkdown } from './page-to-markdown.ts'
import { revealHidden } from './reveal-hidden.ts'
import { readRobotsDirectives } from './robots-directives.ts'

/** A page as a server sent it. */
export interface SentPage {
  bytes: Uint8Array
  /** text/html, application/xhtml+xml, text/markdown or text/plain, with parameters. */
  contentType: string
  /** URL from which the page was fetched. */
  url: string
}

/** The content of a page as Markdown, with the page's metadata. */
export interface WebPage extends ExtractedText {
  title: string
  description: string
  /** Canonical URL that the page declares (RFC 6596). Null if there is none. */
  canonical: string | null
  /** The page's http and https links: absolute, without fragments, unique, at most LINKS_MAX. */
  links: string[]
  /**
   * Whether the page's robots meta element allows indexing the page (`isIndexable`) and following its links
   * (`isFollowable`).
   */
  isIndexable: boolean
  isFollowable: boolean
  /** Where the page sends its readers (meta refresh). Null if nowhere. */
  refresh: Refresh | null
}

/** Maximum number of links per page. @limit links of a web page */
export const LINKS_MAX = 10_000
const LINK_CHARACTERS_MAX = 2_000
const TITLE_CHARACTERS_MAX = 300
const DESCRIPTION_CHARACTERS_MAX = 1_000
/**
 * Maximum number of tags. A page is truncated after that, because 100,000 elements take 150 MB and several seconds.
 * @limit tags of a web page (the rest is ignored)
 */
const TAGS_MAX = 150_000
/**
 * Maximum elements of a page whose main content is extracted. Extraction takes five times as long as parsing, so all
 * text of a larger page is used.
 */
const ELEMENTS_SEARCHED_MAX = 20_000

/**
 * Reads a page. For HTML, returns the main content according to defuddle, or all text if defuddle finds none. Returns
 * Markdown and plain text as they are. `text` may be empty. Runs in a reader process, because a hostile page may
 * crash a parser.
 */
export async function readWebPage({ bytes, contentType, url }: SentPage): Promise<WebPage> {
  const source = decodePage(bytes, contentType)
  if (/^text\/(plain|markdown)/i.test(contentType.trim())) {
    const text = createBoundedText()
    text.add(source)
    return { ...text.finish(), ...NO_METADATA }
  }
  const { html, isCut } = cutTags(source)
  const document = await parsePage(html)
  const base = URL.parse(attributeIn(document, 'base[href]', 'href'), url)?.href ?? url
  const metadata = readMetadata(document, base)
  revealHidden(document.body)
  const main = await findMainContent(html, url)
  const text = createBoundedText()
  if (main !== null) pageToMarkdown(main.content, base, text)
  const found = text.finish()
  const extracted = found.text.trim() === '' ? wholeText(document, base) : found
  return {
    ...metadata,
    title: inOneLine(main?.title || metadata.title, TITLE_CHARACTERS_MAX),
    text: extracted.text.replace(/\n{3,}/g, '\n\n').trim(),
    isCut: extracted.isCut || isCut,
  }
}

const NO_METADATA = {
  title: '',
  description: '',
  canonical: null,
  links: [],
  isIndexable: true,
  isFollowable: true,
  refresh: null,
}

function cutTags(html: string): { html: string; isCut: boolean } {
  let position = -1
  for (let tags = 0; tags < TAGS_MAX; tags++) {
    position = html.indexOf('<', position + 1)
    if (position < 0) return { html, isCut: false }
  }
  return { html: html.slice(0, position), isCut: true }
}

export interface PageDocument extends PageElement {
  documentElement: PageElement
  body: PageElement
}

/**
 * Parses a page. Adds the html and body elements if the page omits them, because linkedom requires them but doesn't
 * add them.
 */
export async function parsePage(html: string): Promise<PageDocument> {
  const { parseHTML } = await import('linkedom')
  const whole = /<body[\s>]/i.test(html)
    ? html
    : `<html><body>${html.replace(/<!doctype[^<>]*>|<\/?(?:html|head|body)(?:\s[^<>]*)?>/gi, '')}</body></html>`
  const { document } = parseHTML(/<html[\s>]/i.test(whole) ? whole : `<html>${whole}</html>`)
  if (CAPITAL_ATTRIBUTE.test(html)) lowerAttributes(document as unknown as PageDocument)
  return document as unknown as PageDocument
}

const CAPITAL_ATTRIBUTE = /\s[a-z-]{0,20}[A-Z][A-Za-z-]{0,20}\s{0,5}[=>]/

interface ElementWithAttributes extends PageElement {
  attributes: Iterable<{ name: string; value: string }>
  setAttribute(name: string, value: string): void
}

/** Writes the names of attributes in lowercase, as the HTML standard demands and linkedom does not. */
function lowerAttributes(document: PageDocument): void {
  for (const element of document.querySelectorAll('*') as Iterable<ElementWithAttributes>)
    for (const { name, value } of [...element.attributes]) {
      const lower = name.toLowerCase()
      if (lower !== name && element.getAttribute(lower) === null) element.setAttribute(lower, value)
    }
}

/** Returns the main content and the title. Returns null if the page is too large or defuddle fails. */
async function findMainContent(
  html: string,
  url: string,
): Promise<{ content: PageElement; title: string } | null> {
  // Parse the page again, because defuddle modifies its document.
  const document = await parsePage(html)
  let elements = 0
  for (const _ of document.querySelectorAll('*')) if (++elements > ELEMENTS_SEARCHED_MAX) return null
  revealHidden(document.body)
  try {
    const { Defuddle } = await import('defuddle/node')
    const { content, title } = await Defuddle(document as never, url, { useAsync: false, fetch: refuseFetch })
    const { body } = await parsePage(`<html><body>${content}</body></html>`)
    return { content: body, title }
  } catch {
    return null
  }
}

const refuseFetch = (): Promise<never> => Promise.reject(new Error('Pages are read without network access'))

function wholeText(document: PageDocument, base: string): ExtractedText {
  const text = createBoundedText()
  pageToMarkdown(document.body, base, text)
  return text.finish()
}

function readMetadata(document: PageDocument, base: string): Omit<WebPage, keyof ExtractedText> {
  const directives = [...document.querySelectorAll('meta[name][content]')]
    .filter((meta) => /^(robots|parley)$/i.test(meta.getAttribute('name') ?? ''))
    .map((meta) => (meta.getAttribute('content') ?? '').toLowerCase())
    .join(',')
  const description =
    attributeIn(document, 'meta[name="description"]', 'content') ||
    attributeIn(document, 'meta[property="og:description"]', 'content')
  const canonical = attributeIn(document, 'link[rel="canonical"]', 'href')
  const title = document.querySelector('title') ?? document.querySelector('h1')
  return {
    title: title?.textContent ?? '',
    description: inOneLine(description, DESCRIPTION_CHARACTERS_MAX),
    canonical: canonical === '' ? null : linkOf(canonical, base),
    links: linksOf(document, base),
    refresh: refreshIn(document, base),
    ...readRobotsDirectives(directives),
  }
}

const attributeIn = (document: PageElement, selector: string, attribute: string): string =>
  document.querySelector(selector)?.getAttribute(attribute) ?? ''

function linksOf(document: PageElement, base: string): string[] {
  const links = new Set<string>()
  for (const anchor of document.querySelectorAll('a[href]')) {
    if (links.size === LINKS_MAX) break
    const link = linkOf(anchor.getAttribute('href') ?? '', base)
    if (link !== null && !/\bnofollow\b/i.test(anchor.getAttribute('rel') ?? '')) links.add(link)
  }
  return [...links]
}

function linkOf(href: string, base: string): string | null {
  if (href.length > LINK_CHARACTERS_MAX) return null
  const url = URL.parse(href, base)
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  url.hash = ''
  return url.href.length > LINK_CHARACTERS_MAX ? null : url.href
}

const inOneLine = (words: string, charactersMax: number): string =>
  words.slice(0, charactersMax).replaceAll('\0', '').replace(/\s+/g, ' ').trim().toWellFormed()
