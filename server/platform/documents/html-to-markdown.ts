import type { BoundedText } from './bounded-text.ts'
import { MarkdownWriter } from './markdown-writer.ts'

/**
 * Converts mammoth's HTML to Markdown. Parsing with a regular expression is safe, because mammoth's HTML is
 * well-formed, uses few elements and escapes all other characters.
 */
export function htmlToMarkdown(html: string, text: BoundedText): void {
  const writer = new MarkdownWriter(text)
  for (const [, closing, name = '', attributes = '', words] of html.matchAll(TOKEN)) {
    if (text.isFull) return
    if (words !== undefined) writer.say(unescapeHtml(words))
    else if (closing === '/') writer.close(name)
    else writer.open(name, (attribute) => attributeOf(attributes, attribute))
  }
  writer.endLine()
}

const TOKEN = /<(\/?)([a-z0-9]+)([^>]*)>|([^<]+)/g

function attributeOf(attributes: string, name: string): string {
  const [, value = ''] = new RegExp(` ${name}="([^"]*)"`).exec(attributes) ?? []
  return unescapeHtml(value)
}

const unescapeHtml = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
