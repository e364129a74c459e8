import { readFile } from 'node:fs/promises'
import type { Address, Email } from 'postal-mime'
import { sentence } from '#errors'
import type { BoundedText } from './bounded-text.ts'
import { DocumentError } from './document-error.ts'
import { pageToMarkdown } from './page-to-markdown.ts'
import { parsePage } from './read-web-page.ts'

/** Maximum depth of parts within parts. Mail programs nest up to about 10. */
const NESTING_MAX = 50
const HEADER_BYTES_MAX = 1024 * 1024
/** Maximum messages within messages. A deeper one is named as an attachment. */
const MESSAGES_MAX = 5
/** Maximum parts of one message. Reading more takes too long. @limit parts of an email */
const PARTS_MAX = 2_000
const ATTACHMENTS_MAX = 200

/**
 * Extracts the text of an email (RFC 5322, MIME): subject, sender, recipients and date, the body as text or Markdown,
 * and the names of the attachments. The content of attachments is not read.
 */
export async function readEml(path: string, text: BoundedText): Promise<void> {
  await addMail(await readFile(path), text, { hasHeaders: true })
}

/** Adds the text of a message. Also reads MHTML, whose headers say nothing (`hasHeaders`). */
export async function addMail(
  content: Buffer,
  text: BoundedText,
  { hasHeaders }: { hasHeaders: boolean },
): Promise<void> {
  if (countParts(content) > PARTS_MAX)
    throw new DocumentError(
      sentence('document.parts', { kind: 'email', limit: PARTS_MAX.toLocaleString('en') }),
    )
  const { default: PostalMime } = await import('postal-mime')
  const mail = await PostalMime.parse(content, {
    maxNestingDepth: NESTING_MAX,
    maxHeadersSize: HEADER_BYTES_MAX,
    maxRfc822NestingDepth: MESSAGES_MAX,
  })
  if (hasHeaders) addHeaders(mail, text)
  if (mail.text !== undefined && mail.text.trim() !== '') text.add(`${mail.text.trim()}\n`)
  else if (mail.html !== undefined) {
    const { body } = await parsePage(mail.html)
    pageToMarkdown(body, 'about:blank', text)
  }
  const names = mail.attachments.slice(0, ATTACHMENTS_MAX).map(nameOf)
  if (hasHeaders && names.length > 0) text.add(`\nAttachments: ${names.join(', ')}\n`)
}

/** Returns the number of lines that may separate parts (RFC 2046, 5.1.1). */
function countParts(content: Buffer): number {
  let count = 0
  for (let at = content.indexOf('\n--'); at >= 0 && count <= PARTS_MAX; at = content.indexOf('\n--', at + 3))
    if (
      content
        .subarray(at + 3, at + 400)
        .toString('latin1')
        .split('\n', 1)[0]
        ?.trim() !== ''
    )
      count++
  return count
}

function addHeaders(mail: Email, text: BoundedText): void {
  if (mail.subject) text.add(`# ${inLine(mail.subject)}\n\n`)
  const lines: [name: string, value: string][] = [
    ['From', namesOf(mail.from === undefined ? [] : [mail.from])],
    ['To', namesOf(mail.to)],
    ['Cc', namesOf(mail.cc)],
    ['Date', mail.date ?? ''],
  ]
  const filled = lines.filter(([, value]) => value !== '')
  for (const [name, value] of filled) text.add(`${name}: ${value}\n`)
  if (filled.length > 0) text.add('\n')
}

const ADDRESSES_MAX = 100

const namesOf = (addresses: readonly Address[] = []): string =>
  addresses
    .flatMap((address) => address.group ?? [address])
    .slice(0, ADDRESSES_MAX)
    .map(({ name, address }) => inLine(name ? `${name}${address ? ` <${address}>` : ''}` : (address ?? '')))
    .filter((name) => name !== '')
    .join(', ')

const nameOf = ({ filename, mimeType }: { filename: string | null; mimeType: string }): string =>
  inLine(filename || mimeType)

const inLine = (words: string): string => words.replace(/\s+/g, ' ').trim()
