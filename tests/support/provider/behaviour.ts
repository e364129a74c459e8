/**
 * How the emulated provider behaves is said by the model's name, because a name travels through every gateway:
 * `emu-n200-gap10-ttft50-r20` is 200 tokens, 10 ms apart, the first after 50 ms, with 20 tokens of reasoning before;
 * `emu-step3-err500` fails in the third step of a conversation with tools. What it says, and the tools that it calls, are
 * said by the user's text: see stepOf.
 */
export interface Behaviour {
  tokens: number
  reasoningTokens: number
  /** Milliseconds before the first token (or an image, or what was said), and between two tokens. */
  firstTokenMs: number
  gapMs: number
  /** A status to refuse with. */
  status: number | undefined
  /** Refuse so many times with 429 and Retry-After: 0, then answer. */
  retries: number
  /** What goes wrong, if anything. */
  fault: Fault | undefined
  /** Answer with the JSON of the request. */
  echo: boolean
  /** Tell no usage. */
  noUsage: boolean
  /** Report this many tokens, whatever was used. */
  claims: number | undefined
  /** In which step of a conversation with tools something goes wrong: the first is 1, and a step ends with its calls. */
  step: number
  /** Call the tools of the last step again and again, for as long as tools may be called. */
  again: boolean
  /** How often a video is asked for before it is made. */
  polls: number
  /** Where an image or a video is, instead of in the answer or at the provider. */
  place: Place | undefined
}

const PLACES = [
  'url', // at the provider
  'foreign', // at elsewhere.example, on the provider's port
  'private', // at an address that nobody may reach
  'moved', // at the provider, which redirects to elsewhere.example
] as const
export type Place = (typeof PLACES)[number]

const FAULTS = [
  'html', // a web page instead of events
  'errmid', // an error event in the middle
  'cut', // the socket breaks in the middle
  'hang', // no byte of an answer, ever
  'hangmid', // silence in the middle
  'fin', // a proper end without the end marker
  'longline', // a line without end
  'badjson', // an event that is no JSON
  'surrogate', // pairs that are split between tokens, halves, NUL
  'redirect',
  'blanks', // two letters, and a book of blanks between them
  // Only for media:
  'nothing', // an answer without an image or a video
  'blocked', // a refusal of the prompt, as Gemini words it
  'wrongbytes', // an image that is none
  'huge', // an answer without end
  'flaky', // the first question for a video fails
  'deaf', // every question for a video fails
  'rejected', // the video failed
  'cutfile', // the socket breaks while the video is fetched
  'hangfile', // no byte of the video, ever
  'hugefile', // a video of a gigabyte
  // Only for embeddings:
  'fewer', // one is missing
  'infinite', // a number that is none
  'null', // no number at all
  'uneven', // one that is longer
  'zero', // one without a direction
  'shuffled', // in another order, which they tell
  'twice', // two that say that they are the same
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
    place: PLACES.find((place) => parts.includes(place)),
  }
}

const WORDS = 'the quick brown fox jumps over a lazy dog while seven wizards boil fresh pumpkin soup'.split(
  ' ',
)
const TRICKY = ['ok \ud83d', '\ude00 half \ud83d', ' and low \ude00', ' nul \0 end', ' done \ud83d']

/** The same without what goes wrong. */
export const withoutFaults = (behaviour: Behaviour): Behaviour => ({
  ...behaviour,
  status: undefined,
  retries: 0,
  fault: undefined,
})

/** The pieces of the reply. `say: …` in the user's text has it say just that, up to the passages behind it. */
export function pieces(behaviour: Behaviour, request: unknown, userText: string): string[] {
  if (behaviour.fault === 'surrogate') return TRICKY
  if (behaviour.fault === 'blanks') return ['a', ' '.repeat(400_000), 'b']
  if (behaviour.echo) return JSON.stringify(request).match(/[\s\S]{1,40}/g) ?? []
  const said = /say: ([\s\S]+?)(?:\n\nPassages from the knowledge base |$)/.exec(userText)?.[1]
  if (said !== undefined) return said.split(/(?= )/)
  return words(behaviour.tokens)
}

export const words = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => (index === 0 ? '' : ' ') + WORDS[index % WORDS.length])

export interface WantedCall {
  name: string
  input: string
}

/** `TOLD:nextPageToken` in what a tool is called with stands for what the user's text has in JSON under that name. */
const fromTold = (input: string, userText: string): string =>
  input.replace(/TOLD:(\w+)/g, (whole, name: string) => {
    const [, told = whole] = new RegExp(`"${name}":"([^"]*)"`).exec(userText) ?? []
    return told
  })

/**
 * What the user's text has a model do in a step, counted from 0. Steps are parted by `THEN`, and a step is what to say,
 * if anything, and then the tools to call, of which only those count that are offered:
 * `say: Let me see. TOOL:weather={"city":"Oslo"} TOOL:clock={} THEN TOOL:weather={} THEN say: It rains.`
 * After the last of them comes the reply in words.
 */
export function stepOf(
  userText: string,
  step: number,
  behaviour: Behaviour,
  offered: string[],
): { text: string; calls: WantedCall[] } {
  const steps = userText.split(/\bTHEN\b/).map((text) => text.trim())
  const at = behaviour.again ? Math.min(step, steps.length - 1) : step
  const [text = '', ...called] = (steps[at] ?? '').split(/(?=TOOL:[\w.-])/).map((text) => text.trim())
  const first = text.startsWith('TOOL:') ? [text] : []
  const calls = [...first, ...called].flatMap((call) => {
    const [, name = '', input = '{}'] = /^TOOL:([\w.-]+)(?:=(\{.*\}))?/.exec(call) ?? []
    return offered.includes(name) ? [{ name, input: fromTold(input, userText) }] : []
  })
  return { text: first.length > 0 ? '' : text, calls }
}
