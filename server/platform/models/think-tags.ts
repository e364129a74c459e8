import { Channels } from './channels.ts'
import {
  BLANKS_MAX,
  CLOSING_ALONE,
  type Marks,
  openingOf,
  THOUGHT_BLOCKS,
  THOUGHT_MARKS,
  UNTIL_CLOSING,
  withoutFewBlanks,
} from './thought-marks.ts'
import type { TokenLogprob } from './types.ts'

interface Output {
  text(text: string, logprobs?: TokenLogprob[]): void
  reasoning(text: string): void
}

/** Receives a piece of the arguments of a tool call that is in the text. Calls have different numbers. */
export type TextCall = (number: number, name: string, argumentsText: string) => void

/**
 * Passes the text of a reply on, and its thoughts as reasoning: blocks in `<think>` tags and other marks at the
 * beginning of the reply, and the channels of gpt-oss. A mark may arrive in pieces. Marks after the first visible
 * character belong to the text.
 */
export class ThinkTags {
  readonly #output: Output
  readonly #onCall: TextCall
  /** True once the text has begun, which nothing interrupts. */
  #isText = false
  /** The open block. Undefined before and between blocks. */
  #block: Marks | undefined
  #channels: Channels | undefined
  #held = ''
  #heldLogprobs: TokenLogprob[] | undefined
  #blocks = 0
  /** Number of the latest block with thoughts. */
  #reasonedBlock = 0
  /** True until the first visible character of the open block. */
  #isFresh = true

  constructor(output: Output, onCall: TextCall = () => {}) {
    this.#output = output
    this.#onCall = onCall
  }

  text(text: string, logprobs?: TokenLogprob[]): void {
    if (this.#isText) return this.#output.text(text, logprobs)
    if (this.#channels) return this.#channels.feed(text)
    this.#held += text
    if (logprobs) {
      this.#heldLogprobs ??= []
      this.#heldLogprobs.push(...logprobs)
    }
    while (this.#step());
    if (this.#block || this.#isText) this.#heldLogprobs = undefined
  }

  /** Passes on the text that may have been a mark. Call this after the last text. */
  end(): void {
    this.#channels?.end()
    if (this.#held === '') return
    if (this.#blocks > 0 && this.#held.trim() === '') return
    if (this.#block?.holds === 'thoughts') {
      this.#reason(this.#held.trimEnd())
    } else this.#output.text(this.#held, this.#heldLogprobs)
    this.#held = ''
  }

  /** Processes what is held. Returns true if more can be processed. */
  #step(): boolean {
    if (this.#isText || this.#channels) return false
    if (!this.#block) return this.#open()
    if (this.#isFresh) this.#held = this.#held.trimStart()
    if (this.#held === '') return false
    this.#isFresh = false
    return this.#block.holds === 'answer' ? this.#say(this.#block) : this.#think(this.#block)
  }

  #open(): boolean {
    const beginning = this.#held.trimStart()
    if (beginning === '' && this.#held.length <= BLANKS_MAX) return false
    const opening = openingOf(beginning)
    if (opening === 'undecided') return false
    if (opening === undefined) {
      this.#isText = true
      const text = this.#blocks > 0 ? beginning : this.#held
      if (text !== '') this.#output.text(text, this.#heldLogprobs)
      this.#held = ''
      return false
    }
    this.#blocks += 1
    if (opening === 'channels') {
      const { text, reasoning } = this.#output
      this.#channels = new Channels({
        text: text.bind(this.#output),
        reasoning: reasoning.bind(this.#output),
        call: this.#onCall,
      })
      this.#channels.feed(beginning)
      this.#held = ''
      return false
    }
    this.#block = opening
    this.#held = beginning.slice(opening.open.length)
    this.#isFresh = true
    return true
  }

  /** Passes thoughts on, except for blanks and parts of a closing mark at their end. */
  #think({ close, closing }: Marks): boolean {
    const found = closing.exec(this.#held)
    const thought = found ? this.#held.slice(0, found.index).trimEnd() : this.#held
    const ready = found ? thought : withoutFewBlanks(decidedOf(thought, close))
    if (ready !== '') this.#reason(ready)
    this.#held = found ? this.#held.slice(found.index + found[0].length) : thought.slice(ready.length)
    if (found) this.#block = undefined
    return found !== null
  }

  /** Passes thoughts on, with an empty line between two blocks. */
  #reason(thoughts: string): void {
    const isNext = this.#reasonedBlock > 0 && this.#reasonedBlock < this.#blocks
    this.#output.reasoning(isNext ? `\n\n${thoughts}` : thoughts)
    this.#reasonedBlock = this.#blocks
  }

  /** Passes the answer in a block on. Its closing mark is left out. */
  #say({ close, closing }: Marks): boolean {
    const found = closing.exec(this.#held)
    const ready = found ? this.#held.slice(0, found.index) : decidedOf(this.#held, close)
    if (ready !== '') this.#output.text(ready)
    this.#held = this.#held.slice(ready.length + (found?.[0].length ?? 0))
    if (found) this.#block = undefined
    return found !== null
  }
}

/** Returns a text without the part of a closing mark at its end. */
function decidedOf(text: string, close: string): string {
  const at = text.lastIndexOf(close.charAt(0))
  const isPart = at >= 0 && close.startsWith(text.slice(at).toLowerCase())
  return isPart ? text.slice(0, at) : text
}

export interface SplitReply {
  reasoning: string
  content: string
}

/**
 * Returns the thoughts and the text of a whole reply whose prompt ended with `<think>` or another mark, so that only the
 * closing mark is in the reply. Returns undefined for other replies. A mark in prose, code or quotation marks is only
 * mentioned.
 */
export function splitThoughts(reply: string): SplitReply | undefined {
  if (!CLOSINGS.some((piece) => reply.includes(piece))) return undefined
  return splitAtClosing(reply) ?? splitAtChannel(reply) ?? splitAtHeading(reply)
}

/** One of these is in each reply that can be split. The search for them is much faster than the patterns. */
const CLOSINGS = ['</', '[/', '◁/', '|>', 'assistantfinal', ' my response:']

function splitAtClosing(reply: string): SplitReply | undefined {
  const found = CLOSING_ALONE.exec(reply)
  if (!found) return undefined
  const [match, before = '', close = '', after = ''] = found
  const marks = THOUGHT_MARKS.find((one) => one.close === close.toLowerCase())
  if (marks && reply.toLowerCase().includes(marks.open)) return undefined
  const begin = found.index + before.length
  const ownLine = before === '' || before === '\n'
  if (!ownLine && !(BEFORE_END.test(before) && AFTER_END.test(after))) return undefined
  if (ownLine && !AFTER_END.test(after) && after !== ' ') return undefined
  if (isInCode(reply, begin)) return undefined
  const content = reply.slice(found.index + match.length - after.length).trimStart()
  return { reasoning: reply.slice(0, begin).trim(), content }
}

/** The final channel of gpt-oss after thoughts without a header, with its tokens or with only their text. */
const FINAL =
  /(\S)(\s*)(?:<\|end\|>\s*)?(?:(?:<\|start\|>\s*)?(?:assistant\s*)?<\|channel\|>\s*final\b[^<>]{0,40}(?:<\|constrain\|>[^<>]{0,40})?<\|message\|>|assistantfinal(?=[^ \ta-z]|$))/u

function splitAtChannel(reply: string): SplitReply | undefined {
  const found = FINAL.exec(reply)
  if (!found) return undefined
  const [match, before = '', gap = ''] = found
  const begin = found.index + before.length
  const isBeside = gap === '' || gap.includes('\n')
  if (!isBeside || !BEFORE_END.test(before) || isInCode(reply, begin)) return undefined
  const { content, reasoning } = readReply(`<|message|>${reply.slice(found.index + match.length)}`)
  const thoughts = reply.slice(0, begin).replace(/^\s*analysis(?=[^a-z])/, '')
  return { reasoning: [thoughts.trim(), reasoning].filter((text) => text !== '').join('\n\n'), content }
}

/** The headings of Granite, which has no tags. */
const HEADINGS = /^\s*Here(?:['’]s| is) my thought process:(.*?)Here(?:['’]s| is) my response:/is

function splitAtHeading(reply: string): SplitReply | undefined {
  const found = HEADINGS.exec(reply)
  if (!found) return undefined
  return { reasoning: (found[1] ?? '').trim(), content: reply.slice(found[0].length).trimStart() }
}

const isInCode = (reply: string, at: number): boolean => reply.slice(0, at).split('```').length % 2 === 0

/** The character beside a mark that ends thoughts, in contrast to one that a sentence mentions. */
const BEFORE_END = /[\p{L}\p{N}.!?。！？…)\]}*]/u
const AFTER_END = /^(?:[\r\n\p{L}\p{N}#*{[]|)$/u

/** Returns the text of a whole reply without thoughts, wherever they are and even if they are cut off. */
export function withoutThoughts(reply: string): string {
  const { content } = readReply(reply)
  const text = splitThoughts(content)?.content ?? content
  return text.replace(THOUGHT_BLOCKS, '').replace(UNTIL_CLOSING, '')
}

function readReply(reply: string): SplitReply {
  const split = { reasoning: '', content: '' }
  const tags = new ThinkTags({
    text: (text) => {
      split.content += text
    },
    reasoning: (text) => {
      split.reasoning += text
    },
  })
  tags.text(reply)
  tags.end()
  return split
}
