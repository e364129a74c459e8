import { withoutFewBlanks } from './thought-marks.ts'

/**
 * Reads the channels of gpt-oss that servers leave in the text of a reply:
 * `<|channel|>analysis<|message|>…<|end|><|start|>assistant<|channel|>final<|message|>…`
 * https://cookbook.openai.com/articles/openai-harmony
 */

export interface ChannelOutput {
  text(text: string): void
  reasoning(text: string): void
  /** Receives a piece of the arguments of a tool call. Calls have different numbers. */
  call(number: number, name: string, argumentsText: string): void
}

const NAMES = ['start', 'channel', 'message', 'end', 'return', 'call', 'constrain']
const TOKEN = new RegExp(`<\\|(${NAMES.join('|')})\\|>`)
const TOKENS = NAMES.map((name) => `<|${name}|>`)
const CHANNEL = '<|channel|>'
const ASSISTANT = 'assistant'
/** Maximum characters before `<|message|>`. A longer header is one whose token is missing. */
const HEADER_CHARACTERS_MAX = 200

/** The content of a message. */
type Content = 'text' | 'reasoning' | 'call' | 'nothing'

export class Channels {
  readonly #output: ChannelOutput
  /** The header of the message so far. Undefined in the body of a message. */
  #header: string | undefined = ''
  /** Text between messages that may be a role whose `<|start|>` is missing. Undefined within a message. */
  #gap: string | undefined
  #content: Content = 'text'
  #recipient = ''
  #calls = 0
  #held = ''
  #blanks = ''
  #isFresh = true
  readonly #begun = new Set<Content>()

  constructor(output: ChannelOutput) {
    this.#output = output
  }

  feed(text: string): void {
    this.#held += text
    for (let token = TOKEN.exec(this.#held); token; token = TOKEN.exec(this.#held)) {
      this.#pass(this.#held.slice(0, token.index))
      this.#held = this.#held.slice(token.index + token[0].length)
      this.#take(token[1] ?? '')
    }
    const bracket = this.#held.lastIndexOf('<')
    const part = bracket < 0 ? '' : this.#held.slice(bracket)
    const isPart = part !== '' && TOKENS.some((token) => token.startsWith(part))
    this.#pass(isPart ? this.#held.slice(0, bracket) : this.#held)
    this.#held = isPart ? part : ''
  }

  /** Passes on the text that may have been a token. Call this after the last text. */
  end(): void {
    this.#pass(this.#held)
    this.#held = ''
    if (this.#header !== undefined) this.#beginBody()
    if (this.#gap !== undefined && this.#gap.trim() !== ASSISTANT) this.#leaveGap()
  }

  #pass(text: string): void {
    if (text === '') return
    if (this.#gap !== undefined) {
      this.#gap += text
      const isRole = this.#gap.length <= HEADER_CHARACTERS_MAX && ASSISTANT.startsWith(this.#gap.trim())
      if (!isRole) this.#leaveGap()
    } else if (this.#header !== undefined) {
      this.#header += text
      if (this.#header.length > HEADER_CHARACTERS_MAX) this.#beginBody()
    } else this.#say(text)
  }

  #take(token: string): void {
    switch (token) {
      case 'start':
        return this.#beginHeader()
      case 'channel':
        if (this.#header === undefined) this.#beginHeader(this.#gap)
        this.#header += CHANNEL
        return
      case 'message':
        if (this.#gap !== undefined) this.#beginHeader(this.#gap)
        if (this.#header !== undefined) this.#beginBody(true)
        return
      case 'constrain':
        if (this.#header !== undefined) this.#header += ' '
        return
      default:
        if (this.#gap !== undefined) this.#leaveGap()
        this.#header = undefined
        this.#gap = ''
    }
  }

  #beginHeader(role = ''): void {
    this.#header = role
    this.#gap = undefined
  }

  /** Some servers send the answer after the thoughts without a header. */
  #leaveGap(): void {
    const gap = this.#gap ?? ''
    this.#gap = undefined
    this.#header = undefined
    this.#begin('text')
    this.#say(gap)
  }

  /** `isWhole` is false if the header lacks its end. The text after the name of its channel is then the body. */
  #beginBody(isWhole = false): void {
    const header = this.#header ?? ''
    this.#header = undefined
    const [first = '', ...more] = header.split(CHANNEL)
    const role = more.length === 0 && IS_CHANNEL.test(first) ? '' : first.trim()
    const channel = more.at(-1) ?? (role === '' ? first : '')
    const [, recipient = ''] = RECIPIENT.exec(header) ?? []
    const isCall = recipient !== '' && recipient !== ASSISTANT && recipient !== 'user'
    this.#begin(contentOf(role, channel, isCall))
    if (this.#content === 'call') {
      this.#recipient = recipient
      this.#calls += 1
      this.#output.call(this.#calls, recipient, '')
    } else if (!isWhole) this.#say((more.length === 0 ? channel : more.join('')).replace(HEADING, ''))
  }

  #begin(content: Content): void {
    this.#content = content
    this.#blanks = ''
    this.#isFresh = true
  }

  /** Passes on the text of a message without the blanks around it. */
  #say(text: string): void {
    const content = this.#content
    if (content === 'nothing') return
    if (content === 'call') return this.#output.call(this.#calls, this.#recipient, text)
    const whole = this.#isFresh ? text.trimStart() : this.#blanks + text
    const ready = withoutFewBlanks(whole)
    this.#blanks = whole.slice(ready.length)
    if (ready === '') return
    const parting = this.#isFresh && this.#begun.has(content) ? '\n\n' : ''
    this.#isFresh = false
    this.#begun.add(content)
    this.#output[content](parting + ready)
  }
}

const IS_CHANNEL = /^\s*(?:analysis|commentary|final)/i
const RECIPIENT = /\bto=(?:functions\.)?([\w.:-]+)/
/** The parts of a header that are no text of the message. */
const HEADING = /^\s*(?:assistant|analysis|commentary|final)?(?:\s*to=\S+)?(?:\s+json\b)?\s*/i

/** A commentary without a recipient is for the user. Messages of other roles are made up by the model. */
function contentOf(role: string, channel: string, isCall: boolean): Content {
  if (role !== '' && !role.startsWith(ASSISTANT)) return 'nothing'
  if (isCall) return 'call'
  return /analysis|thought|think|reason/i.test(channel) ? 'reasoning' : 'text'
}
