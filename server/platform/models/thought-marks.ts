/** The marks around a block that servers leave in the text of a reply, in lower case. */
export interface Marks {
  open: string
  close: string
  /** Finds the closing mark, in any case of letters. */
  closing: RegExp
  /** The content of the block: the model's thoughts, or the answer after them. */
  holds: 'thoughts' | 'answer'
}

const TAGS = [
  ...['think', 'thinking', 'thought', 'thoughts', 'reason', 'reasoning', 'reflection'],
  ...['scratchpad', 'reasoning_scratchpad', 'seed:think', 'mm:think'],
]

/** Pairs that are no tags: Mistral, Kimi, Gemma, OpenThinker, Cohere, Apertus and others. */
const THOUGHTS: [string, string][] = [
  ['[think]', '[/think]'],
  ['◁think▷', '◁/think▷'],
  ['<|channel>thought', '<channel|>'],
  ['<|think|>', '<|/think|>'],
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
  ['<|start_thinking|>', '<|end_thinking|>'],
  ['<|inner_prefix|>', '<|inner_suffix|>'],
]

const ANSWERS: [string, string][] = [
  ['<|begin_of_solution|>', '<|end_of_solution|>'],
  ['<|start_response|>', '<|end_response|>'],
]

const escaped = (text: string): string => text.replace(/[[\]|/]/g, '\\$&')

const marksOf =
  (holds: Marks['holds']) =>
  ([open, close]: [string, string]): Marks => ({
    open,
    close,
    closing: new RegExp(escaped(close), 'i'),
    holds,
  })

/** All marks of thoughts. A list of more marks belongs here, because replies and titles are read with it. */
export const THOUGHT_MARKS: readonly Marks[] = [
  ...TAGS.map((name): [string, string] => [`<${name}>`, `</${name}>`]),
  ...THOUGHTS,
].map(marksOf('thoughts'))

const MARKS: readonly Marks[] = [
  ...THOUGHT_MARKS,
  ...ANSWERS.map(marksOf('answer')),
  // A closing mark that nothing precedes ends no thoughts, and belongs to none.
  ...THOUGHT_MARKS.map(({ close }): Marks => marksOf('thoughts')([close, ''])),
]

/** How a reply of gpt-oss begins if its server leaves the tokens of the channels in the text. */
const CHANNELS = [
  ...['<|channel|>', '<|start|>assistant', '<|message|>', 'assistant<|channel|>'],
  ...['analysis<|message|>', 'commentary<|message|>', 'final<|message|>'],
]

const OPENINGS = [...MARKS.map(({ open }) => open), ...CHANNELS]
const FIRST_CHARACTERS = new Set(OPENINGS.map(([first]) => first))
const OPENING_CHARACTERS_MAX = Math.max(...OPENINGS.map(({ length }) => length))

/**
 * Returns the marks with which a text begins, or `channels` for the tokens of gpt-oss. `undecided` means that more text
 * may complete a mark. The first character decides about most texts.
 */
export function openingOf(text: string): Marks | 'channels' | 'undecided' | undefined {
  if (!FIRST_CHARACTERS.has(text[0]?.toLowerCase())) return undefined
  const beginning = text.slice(0, OPENING_CHARACTERS_MAX).toLowerCase()
  const marks = MARKS.find(({ open }) => beginning.startsWith(open))
  if (marks) return marks
  if (CHANNELS.some((token) => beginning.startsWith(token))) return 'channels'
  return OPENINGS.some((opening) => opening.startsWith(beginning)) ? 'undecided' : undefined
}

/** Finds each block of thoughts, also one that is cut off. */
export const THOUGHT_BLOCKS = new RegExp(
  THOUGHT_MARKS.map(({ open, close }) => `${escaped(open)}[^]*?(?:${escaped(close)}|$)`).join('|'),
  'gi',
)

const CLOSING = THOUGHT_MARKS.map(({ close }) => escaped(close)).join('|')

/** The first closing mark of thoughts, and the characters around it. */
export const CLOSING_ALONE = new RegExp(`(^|.)(${CLOSING})(.?)`, 'isu')

/** A text up to its last closing mark of thoughts. */
export const UNTIL_CLOSING = new RegExp(`^[^]*(?:${CLOSING})`, 'i')

/** Maximum number of blanks that are held because a mark may follow. Each further piece looks at them again. */
export const BLANKS_MAX = 1_000

/** Returns a text without the blanks at its end, unless there are more than BLANKS_MAX. */
export function withoutFewBlanks(text: string): string {
  const trimmed = text.trimEnd()
  return text.length - trimmed.length > BLANKS_MAX ? text : trimmed
}
