import { isRecord } from '../http/is-record.ts'

/** Servers put a lost session into many words, so any error that names the session or the handshake counts. */
const SESSION = /session|not[ _-]?(yet )?initiali[sz]ed/i
const BEGINNING_CHARACTERS_MAX = 4_096

/** Returns whether the body of an error response names the session. */
export const namesSession = (text: string): boolean => SESSION.test(text)

/**
 * Finds a JSON-RPC error that names the session in a successful response, whatever the id of the error. Looks only at
 * the beginning, because such an error is the first and only message.
 */
export class SessionErrorFinder {
  #text = ''

  /** Adds the next chunk of the response. Returns the error's message if the response is such an error. */
  add(chunk: Uint8Array): string | undefined {
    if (this.#text.length > BEGINNING_CHARACTERS_MAX) return undefined
    this.#text += Buffer.from(chunk).toString()
    if (this.#text.length > BEGINNING_CHARACTERS_MAX || !SESSION.test(this.#text)) return undefined
    for (const text of [this.#text, ...this.#text.split(/\r?\n/)]) {
      const message = errorIn(text.replace(/^data:/, ''))
      if (message !== undefined && SESSION.test(message)) return message
    }
    return undefined
  }
}

function errorIn(text: string): string | undefined {
  try {
    const answer: unknown = JSON.parse(text)
    const error = isRecord(answer) && !('method' in answer) ? answer['error'] : undefined
    if (!isRecord(error)) return typeof error === 'string' ? error : undefined
    return [error['message'], error['data']].filter((words) => typeof words === 'string').join(' ')
  } catch {
    return undefined // an incomplete message, or another line of the stream
  }
}

/** A result that says more is about the tool's own matters. */
const RESULT_CHARACTERS_MAX = 500
/** Words of servers and proxies before those of an error. */
const PREFIX =
  /^(?:error posting to endpoint(?: \(http \d+\))?:\s*|(?:streamable http )?error\b[:|]?\s*|mcp error -?\d+:?\s*|(?:http )?\d{3}:?\s+|bad request:\s*|not found:\s*)+/i
const NOUN = String.raw`(?:mcp[\s-]?)?session(?:[\s-]?id)?`
const ID = String.raw`["'(]?[\w-]{6,100}["')]?`
const NOT = String.raw`not\s+(?:found|valid|exist|be found|known|recogni[sz]ed|initiali[sz]ed)`
const STATE = String.raw`(?:(?:is|was|has|has been|does|could)\s+)?(?:${NOT}|no longer\s+(?:valid|exists|available|known|active)|unknown|invalid|expired|timed out|terminated|gone|lost|missing|closed)`
const NO = '(?:no|not|invalid|unknown|unrecogni[sz]ed|expired|missing)'
/** "Session 6e0a1180 was not found or has expired" and the like. */
const NOUN_FIRST = String.raw`${NOUN}(?:\s*:?\s*(?=["'(]?[\w-]*\d)${ID})?\s+${STATE}(?:\s+or\s+${STATE})*`
/** "No valid session ID provided" and the like. */
const STATE_FIRST = String.raw`${NO}\s+(?:(?:or|valid|active|${NO})\s+)*${NOUN}(?:\s+(?:provided|found|header|given|for|id))*`
const ADVICE = String.raw`(?:please\s+)?(?:re-?)?(?:initiali[sz]e|connect)\b.{0,100}`
const LOST = new RegExp(
  String.raw`^(?:the\s+)?(?:${NOUN_FIRST}|${STATE_FIRST}|server\s+not\s+(?:yet\s+)?initiali[sz]ed)(?:\s*:?\s*(?=["'(]?[\w-]*\d)${ID})?[.!,:]?(?:\s*${ADVICE})?$`,
  'is',
)

/**
 * Returns whether the text of a failed tool consists of nothing but the words for a lost session. Some servers report it
 * as a tool's result.
 */
export function isLostSession(text: string): boolean {
  if (text.length > RESULT_CHARACTERS_MAX) return false
  const bare = text.trim().replace(PREFIX, '')
  return LOST.test(messageIn(bare).trim().replace(PREFIX, ''))
}

/** Returns the message in an error that is JSON, or the text itself. */
function messageIn(text: string): string {
  if (!text.startsWith('{')) return text
  try {
    const { error, message, detail } = JSON.parse(text) as Record<string, unknown>
    const inner = isRecord(error) ? error['message'] : (error ?? message ?? detail)
    return typeof inner === 'string' ? inner : text
  } catch {
    return text
  }
}
