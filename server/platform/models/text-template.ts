/**
 * Extracts the text of similar events without parsing each event as JSON.
 *
 * Most events of a reply differ from the previous event only in their text. After an event is parsed, the JSON around
 * its text becomes the template. If the next event matches the template and its text contains no escapes, the text is
 * used directly. All other events are parsed. The template halves the cost of reading a reply.
 *
 * Learn only from events whose other fields may be skipped when they repeat. A repeated usage or finish reason
 * changes nothing, but a skipped tool call or reasoning would be lost.
 */
export class TextTemplate {
  #before = ''
  #after = ''

  /** Passes the text of a matching event to the reply. Returns false if the event must be parsed. */
  pass(data: string, reply: { text(text: string): void }): boolean {
    const text = this.match(data)
    if (text === undefined) return false
    reply.text(text)
    return true
  }

  /** Returns the text of a matching event, or undefined if the event must be parsed. */
  match(data: string): string | undefined {
    const begin = this.#before.length
    const end = data.length - this.#after.length
    if (begin === 0 || end <= begin) return undefined
    // Each search tests a single position. This is five times as fast as startsWith and endsWith.
    if (data.lastIndexOf(this.#before, 0) !== 0 || data.indexOf(this.#after, end) !== end) return undefined
    const text = data.slice(begin, end)
    return NEEDS_PARSING.test(text) ? undefined : text
  }

  /** Uses an event as the template if its text occurs in the event exactly once as a JSON string, without escapes. */
  learn(data: string, text: string): void {
    const literal = `"${text}"`
    const position = data.indexOf(literal)
    if (position < 0 || NEEDS_PARSING.test(text) || data.indexOf(literal, position + 1) >= 0) return
    this.#before = data.slice(0, position + 1)
    this.#after = data.slice(position + literal.length - 1)
  }
}

/**
 * Text with these characters is parsed: a quote ends the string, a backslash starts an escape, and control characters
 * are invalid JSON.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for these
const NEEDS_PARSING = /["\\\u0000-\u001f]/
