import type { EventSourceMessage } from 'eventsource-parser'
import { Backoff } from './backoff.ts'
import { type Entry, entryOf, newReply, type Question, type Reply } from './entries.ts'
import type { Kept } from './kept.ts'
import { readEvents } from './read-events.ts'
import { ReplyParts } from './reply-parts.ts'
import { Refusal, randomText, type VisitorApi } from './visitor-api.ts'
import { WORDS } from './words.ts'

/** What there is to show. Entries that did not change stay the same objects. */
export interface View {
  phase: 'starting' | 'open' | 'closed'
  entries: readonly Entry[]
  isReplying: boolean
  /** What stands in the way just now, as a sentence. */
  trouble: string | null
  /** Whether `tryAgain` does something about the newest entry, or about a chat that could not be begun. */
  canTryAgain: boolean
}

/** How often what has come is shown. */
const FLUSH_MS = 50
const KEY_BYTES = 18

/** The chat of a visitor: what was said, and what is on its way. It outlives cut connections and closed pages. */
export class Conversation {
  readonly #api: VisitorApi
  readonly #kept: Kept
  readonly #onChange: (view: View) => void
  #phase: View['phase'] = 'starting'
  #entries: Entry[] = []
  #trouble: string | null = null
  /** What is under way; its end is another one's beginning. */
  #work: AbortController | null = null
  #isStopping = false

  constructor(api: VisitorApi, kept: Kept, onChange: (view: View) => void) {
    this.#api = api
    this.#kept = kept
    this.#onChange = onChange
  }

  /** Finds what was said before, and follows the reply that is being written. */
  start(): Promise<void> {
    return this.#run(async (signal) => {
      const backoff = new Backoff()
      this.#setTrouble(null)
      for (;;) {
        try {
          await this.#api.enter()
          await this.#readSession(signal)
          break
        } catch (error) {
          if (isFinal(error)) return this.#close(error.status === 404 ? WORDS.unknown : WORDS.closed)
          this.#setTrouble(navigator.onLine ? WORDS.lost : WORDS.offline)
          if (!(await backoff.wait(signal))) return this.#setTrouble(WORDS.unreachable)
        }
      }
      this.#phase = 'open'
      this.#setTrouble(null)
      if (this.#newestReply()?.status === 'streaming') await this.#follow(null, signal)
    })
  }

  /** Sends a message, unless a reply is under way. */
  async send(text: string): Promise<void> {
    if (this.#work !== null || this.#phase !== 'open') return
    const question: Question = { role: 'user', key: randomText(KEY_BYTES), text, problem: null }
    this.#entries = [...this.#entries, question]
    await this.#deliver(question)
  }

  /** Does again what failed last. */
  async tryAgain(): Promise<void> {
    if (this.#work !== null) return
    if (this.#phase === 'starting') return this.start()
    const newest = this.#entries.at(-1)
    if (newest?.role === 'user') return this.#deliver(newest)
    if (newest?.status === 'streaming') return this.#run((signal) => this.#follow(null, signal))
    const question = this.#entries.findLast(({ role }) => role === 'user')
    if (question) await this.send(question.text)
  }

  /** Has the server stop the reply. What has come of it stays. */
  async stop(): Promise<void> {
    const sessionId = this.#kept.get('session')
    if (sessionId === null || this.#newestReply()?.status !== 'streaming') return
    this.#isStopping = true
    // Where that does not get through, the reply goes on, and so does the button.
    await this.#api.stop(sessionId).catch(() => {
      this.#isStopping = false
    })
  }

  /** Leaves this conversation behind. */
  startOver(): void {
    this.#work?.abort()
    this.#work = null
    this.#kept.set('session', null)
    this.#entries = []
    this.#setTrouble(null)
  }

  async #run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const control = new AbortController()
    this.#work = control
    this.#isStopping = false
    this.#show()
    try {
      await work(control.signal)
    } finally {
      if (this.#work === control) {
        this.#work = null
        this.#show()
      }
    }
  }

  #deliver(question: Question): Promise<void> {
    return this.#run(async (signal) => {
      const sent = { ...question, problem: null }
      this.#replace(question, sent)
      this.#entries = [...this.#entries, newReply(randomText(KEY_BYTES))]
      this.#show()
      try {
        const sessionId = this.#kept.get('session')
        const response = await this.#api.send(question.text, sessionId, question.key, signal)
        if (signal.aborted) return
        this.#kept.set('session', response.headers.get('x-session-id') ?? sessionId)
        await this.#follow(response, signal)
      } catch (error) {
        if (signal.aborted) return
        this.#entries = this.#entries.filter((entry) => entry !== this.#newestReply())
        const isRefused = error instanceof Refusal
        // What was refused is another message when it is sent again; what got no answer may have been taken.
        const key = isRefused ? randomText(KEY_BYTES) : sent.key
        this.#replace(sent, { ...sent, key, problem: problemOf(error) })
        if (isRefused) await this.#learnFrom(error, signal)
      }
    })
  }

  /** What a refusal of a message says of the chat: it is closed, the conversation is gone, or goes on elsewhere. */
  async #learnFrom({ status }: Refusal, signal: AbortSignal): Promise<void> {
    if (status === 403) return this.#close(WORDS.closed)
    if (status === 404) {
      this.#kept.set('session', null)
      // An unknown deployment answers 404 as an unknown session does.
      await this.#api.enter().catch((error) => {
        if (isFinal(error)) this.#close(WORDS.unknown)
      })
    }
    if (status !== 409) return
    const unsent = this.#entries.at(-1) as Question
    try {
      await this.#readSession(signal)
    } catch {
      return
    }
    if (signal.aborted) return
    this.#entries = [...this.#entries, unsent]
    if (this.#newestReply()?.status === 'streaming') await this.#follow(null, signal)
  }

  /** Takes the server's account of what was said for ours. */
  async #readSession(signal: AbortSignal): Promise<void> {
    const sessionId = this.#kept.get('session')
    if (sessionId === null) return
    try {
      const messages = await this.#api.readSession(sessionId)
      if (!signal.aborted) this.#entries = messages.map(entryOf)
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 404) throw error
      this.#kept.set('session', null)
    }
  }

  /** Follows the newest reply to its end, over as many connections as that takes. */
  async #follow(first: Response | null, signal: AbortSignal): Promise<void> {
    const backoff = new Backoff()
    let got = new ReplyParts()
    let replyId = first === null ? this.#newestReply()?.key : first.headers.get('x-message-id')
    let clock: ReturnType<typeof setTimeout> | undefined
    const flush = (): void => {
      clearTimeout(clock)
      clock = undefined
      if (signal.aborted || got.lastEventId === null) return
      this.#trouble = null
      this.#changeReply(got.asReply(this.#isStopping))
    }
    const take = (event: EventSourceMessage): void => {
      backoff.reset()
      got.take(event)
      clock ??= setTimeout(flush, FLUSH_MS)
    }
    for (let response = first; ; response = null) {
      try {
        response ??= await this.#api.resume(this.#kept.get('session') ?? '', got.lastEventId, signal)
        if (response !== null && response.headers.get('x-message-id') === replyId)
          await readEvents(response, take)
        else {
          // All of it was delivered, or another window has asked something since.
          await this.#readSession(signal)
          const newest = this.#newestReply()
          if (newest?.status !== 'streaming') return this.#setTrouble(null)
          got = new ReplyParts()
          replyId = newest.key
        }
      } catch (error) {
        if (isFinal(error)) return this.#leaveReply('error')
      }
      flush()
      if (got.end !== null || signal.aborted) return
      this.#setTrouble(navigator.onLine ? WORDS.lost : WORDS.offline)
      if (!(await backoff.wait(signal))) return signal.aborted ? undefined : this.#leaveReply('streaming')
    }
  }

  #leaveReply(status: Reply['status']): void {
    this.#trouble = null
    this.#changeReply({ status, problem: WORDS.replyUnfollowed })
  }

  #changeReply(change: Partial<Reply>): void {
    const reply = this.#newestReply()
    if (!reply) return
    this.#replace(reply, { ...reply, ...change })
    this.#show()
  }

  #newestReply(): Reply | undefined {
    return this.#entries.findLast((entry) => entry.role === 'assistant')
  }

  #replace(old: Entry, entry: Entry): void {
    this.#entries = this.#entries.map((one) => (one === old ? entry : one))
  }

  #close(sentence: string): void {
    this.#phase = 'closed'
    this.#setTrouble(sentence)
  }

  #setTrouble(sentence: string | null): void {
    this.#trouble = sentence
    this.#show()
  }

  #show(): void {
    const newest = this.#entries.at(-1)
    const isIdle = this.#work === null
    this.#onChange({
      phase: this.#phase,
      entries: this.#entries,
      isReplying: !isIdle && this.#phase === 'open',
      trouble: this.#trouble,
      canTryAgain:
        isIdle && (this.#phase === 'starting' || (this.#phase === 'open' && Boolean(newest?.problem))),
    })
  }
}

/** Another server process has the reply (409), or there were too many requests just now (429). */
const PASSING = [409, 429]

/** Answers that another try would not change. */
const isFinal = (error: unknown): error is Refusal =>
  error instanceof Refusal && !PASSING.includes(error.status)

function problemOf(error: unknown): string {
  if (!(error instanceof Refusal)) return WORDS.notSent
  switch (error.status) {
    case 402:
      return WORDS.noCredits
    case 403:
      return WORDS.closed
    case 404:
      return WORDS.conversationGone
    case 409:
      return WORDS.busy
    case 429:
      return error.waitSeconds === null ? WORDS.tooMany : WORDS.tooManyFor(error.waitSeconds)
    default:
      return WORDS.refused
  }
}
