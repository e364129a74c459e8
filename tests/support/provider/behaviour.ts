/**
 * Behavior of the emulated provider, selected by the model's name, because every gateway passes the name on unchanged.
 * `emu-n200-gap10-ttft50-r20` sends 200 tokens, 10 ms apart, the first after 50 ms and after 20 reasoning tokens.
 * `emu-step3-err500` fails in the third step of a conversation with tools. The user's text determines the reply and the
 * tool calls (see stepOf).
 */
export interface Behaviour {
  tokens: number
  reasoningTokens: number
  /** Milliseconds before the first token, image or transcript, and milliseconds between two tokens. */
  firstTokenMs: number
  gapMs: number
  /** HTTP status with which requests are rejected. Undefined to accept them. */
  status: number | undefined
  /** Number of responses with 429 and `Retry-After: 0` that precede a reply. */
  retries: number
  /** The fault to simulate. Undefined for none. */
  fault: Fault | undefined
  /** If true, the reply is the JSON of the request. */
  echo: boolean
  /** If true, the reply reports no usage. */
  noUsage: boolean
  /** Number of tokens to report as usage, instead of the actual number. */
  claims: number | undefined
  /** The step of a tool conversation in which the fault occurs, from 1. Each step ends with its tool calls. */
  step: number
  /** If true, the tool calls of the last step are repeated as long as tools are allowed. */
  again: boolean
  /** Number of polls until a video is ready. */
  polls: number
  /** The reason with which the reply ends. Undefined for the model's own end. */
  ends: End | undefined
  /** Where an image or video can be downloaded, if it is neither in the response nor at the provider. */
  place: Place | undefined
}

const PLACES = [
  'url', // at the provider
  'foreign', // at elsewhere.example, on the provider's port
  'private', // at a forbidden address
  'moved', // at the provider, which redirects to elsewhere.example
] as const
export type Place = (typeof PLACES)[number]

const ENDS = ['length', 'filter', 'refusal', 'unknown'] as const
export type End = (typeof ENDS)[number]

const FAULTS = [
  'html', // a web page instead of events
  'errmid', // an error event mid-stream
  'cut', // the socket breaks mid-stream
  'hang', // no response at all
  'hangmid', // silence mid-stream
  'fin', // a normal end of the body without the end marker
  'longline', // a line without end
  'badjson', // an event that isn't JSON
  'surrogate', // surrogate pairs split between tokens, lone surrogates, NUL
  'redirect',
  'strict', // tools whose schema any of the providers refuses are refused
  'blanks', // two letters with very many blanks between them
  // Faults of images and videos:
  'nothing', // a response without an image or a video
  'blocked', // a refusal of the prompt, in Gemini's format
  'wrongbytes', // bytes that aren't an image
  'huge', // an endless response
  'flaky', // the first poll for a video fails
  'deaf', // every poll for a video fails
  'rejected', // the video failed
  'cutfile', // the socket breaks during the video's download
  'hangfile', // the video's download never starts
  'hugefile', // a video of a gigabyte
  // Faults of embeddings:
  'fewer', // one vector is missing
  'infinite', // a vector with an infinite number
  'null', // null instead of a number
  'uneven', // one vector is longer than the others
  'zero', // a zero vector
  'shuffled', // in another order, with correct indexes
  'twice', // two vectors with the same index
] as const
export type Fault = (typeof FAULTS)[number]

export function behaviourOf(model: string): Behaviour {
  const parts = model.split('-')
  const number = (pattern: RegExp, otherwise: number): number => {
    for (const part of parts) {
      const match = pattern.exec(part)
      if (match) return Number(match[1])
    }
    return otherwise
  }
  return {
    tokens: number(/^n(\d+)$/, 8),
    reasoningTokens: number(/^r(\d+)$/, 0),
    firstTokenMs: number(/^ttft(\d+)$/, 0),
    gapMs: number(/^gap(\d+)$/, 0),
    status: number(/^err(\d{3})$/, 0) || undefined,
    retries: number(/^retry(\d+)$/, 0),
    fault: FAULTS.find((fault) => parts.includes(fault)),
    echo: parts.includes('echo'),
    noUsage: parts.includes('nousage'),
    claims: number(/^claims(\d+)$/, 0) || undefined,
    step: number(/^step(\d+)$/, 0),
    again: parts.includes('again'),
    polls: number(/^poll(\d+)$/, 1),
    ends: ENDS.find((end) => parts.includes(`ends${end}`)),
    place: PLACES.find((place) => parts.includes(place)),
  }
}

const WORDS = 'the quick brown fox jumps over a lazy dog while seven wizards boil fresh pumpkin soup'.split(
  ' ',
)
const TRICKY = ['ok \ud83d', '\ude00 half \ud83d', ' and low \ude00', ' nul \0 end', ' done \ud83d']

export const withoutFaults = (behaviour: Behaviour): Behaviour => ({
  ...behaviour,
  status: undefined,
  retries: 0,
  fault: undefined,
})

/**
 * Returns the chunks of the reply. `say: …` in the user's text sets the reply. Appended passages are not part of the
 * user's text.
 */
export function pieces(behaviour: Behaviour, request: unknown, userText: string): string[] {
  if (behaviour.fault === 'surrogate') return TRICKY
  if (behaviour.fault === 'blanks') return ['a', ' '.repeat(400_000), 'b']
  if (behaviour.echo) return JSON.stringify(request).match(/[\s\S]{1,40}/g) ?? []
  const said = /say: ([\s\S]+?)(?:\n\nPassages from the knowledge base |\n\nAssistant: |$)/.exec(
    userText,
  )?.[1]
  if (said !== undefined) return said.split(/(?= )/)
  return words(behaviour.tokens)
}

export const words = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => (index === 0 ? '' : ' ') + WORDS[index % WORDS.length])

export interface ScriptedCall {
  name: string
  input: string
}

/** Replaces `COPY:nextPageToken` in a tool's input with the value of that JSON key in the user's text. */
const fillFromUserText = (input: string, userText: string): string =>
  input.replace(/COPY:(\w+)/g, (whole, name: string) => {
    const [, value = whole] = new RegExp(`"${name}":"([^"]*)"`).exec(userText) ?? []
    return value
  })

/**
 * Returns a scripted step of a tool conversation, counted from 0. In the user's text, `THEN` separates steps. Each
 * step may have text and tool calls: `say: Let me see. TOOL:weather={"city":"Oslo"} TOOL:clock={} THEN
 * TOOL:weather={} THEN say: It rains.` Calls of tools that the request doesn't offer are skipped. After the last
 * step, the model replies with text.
 */
export function stepOf(
  userText: string,
  step: number,
  behaviour: Behaviour,
  offered: string[],
): { text: string; calls: ScriptedCall[] } {
  const steps = userText.split(/\bTHEN\b/).map((text) => text.trim())
  const at = behaviour.again ? Math.min(step, steps.length - 1) : step
  const [text = '', ...called] = (steps[at] ?? '').split(/(?=TOOL:[\w.-])/).map((text) => text.trim())
  const first = text.startsWith('TOOL:') ? [text] : []
  const calls = [...first, ...called].flatMap((call) => {
    const [, name = '', input = '{}'] = /^TOOL:([\w.-]+)(?:=(\{.*\}))?/.exec(call) ?? []
    return offered.includes(name) ? [{ name, input: fillFromUserText(input, userText) }] : []
  })
  return { text: first.length > 0 ? '' : text, calls }
}
