import {
  Backoff,
  ParleyError,
  randomKey,
  Throttle,
  type VisitorClient,
  type VisitorEvent,
} from '@parley/client/visitor'
import { type Entry, entryOf, newReply, type Question, type Reply } from './entries.ts'
import type { Kept } from './kept.ts'
import { ReplyParts } from './reply-parts.ts'
import { t } from './text.ts'

/** The state to render. An entry that has not changed remains the same object. */
export interface View {
  phase: 'starting' | 'open' | 'closed'
  entries: readonly Entry[]
  isReplying: boolean
  /** The current problem as a sentence, or null if there is none. */
  trouble: string | null
  /** Whether `tryAgain` has something to retry: the newest entry or the start of the chat. */
  canTryAgain: boolean
}

/** Maximum number of automatic retries: about 90 seconds. After that, visitors can retry with a button. */
const TRIES_MAX = 12

/**
 * A visitor's chat: its messages and the reply in progress. Reconnects after a lost connection, and continues the
 * conversation after the page was closed.
 */
export class Conversation {
  readonly #visitor: VisitorClient
  readonly #kept: Kept
  readonly #onChange: (view: View) => void
  #phase: View['phase'] = 'starting'
  #entries: Entry[] = []
  #trouble: string | null = null
  /** Aborts the action in progress. Null if there is none. */
  #work: AbortController | null = null
  #isStopping = false

  constructor(visitor: VisitorClient, kept: Kept, onChange: (view: View) => void) {
    this.#visitor = visitor
    this.#kept = kept
    this.#onChange = onChange
  }

  /** Loads earlier messages, and follows the newest reply if it is still streaming. */
  start(): Promise<void> {
    return this.#run(async (signal) => {
      this.#setTrouble(null)
      const enter = async (): Promise<void> => {
        await this.#visitor.enter()
        await this.#readSession(signal)
      }
      try {
        if (!(await this.#persist(enter, signal))) return this.#setTrouble(t('unreachable'))
      } catch (error) {
        return this.#close((error as ParleyError).status === 404 ? t('unknown') : t('closed'))
      }
      this.#phase = 'open'
      this.#setTrouble(null)
      if (this.#newestReply()?.status === 'streaming') await this.#follow(null, signal)
    })
  }

  /** Sends a message. Does nothing while another action is in progress or unless the chat is open. */
  async send(text: string): Promise<void> {
    if (this.#work !== null || this.#phase !== 'open') return
    const question: Question = { role: 'user', key: randomKey(), text, problem: null }
    this.#entries = [...this.#entries, question]
    await this.#deliver(question)
  }

  async tryAgain(): Promise<void> {
    if (this.#work !== null) return
    if (this.#phase === 'starting') return this.start()
    const newest = this.#entries.at(-1)
    if (newest?.role === 'user') return this.#deliver(newest)
    if (newest?.status === 'streaming') return this.#run((signal) => this.#follow(null, signal))
    const question = this.#entries.findLast(({ role }) => role === 'user')
    if (question) await this.send(question.text)
  }

  /** Stops the reply on the server. The part that was already received remains visible. */
  async stop(): Promise<void> {
    const sessionId = this.#kept.get('session')
    if (sessionId === null || this.#newestReply()?.status !== 'streaming') return
    this.#isStopping = true
    // If the request fails, the reply continues, and the visitor can press the stop button again.
    await this.#visitor.stop(sessionId).catch(() => {
      this.#isStopping = false
    })
  }

  /** Discards the current conversation. The next message starts a new one. */
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
      this.#entries = [...this.#entries, newReply(randomKey())]
      this.#show()
      try {
        const sessionId = this.#kept.get('session')
        const message = { content: question.text, sessionId, idempotencyKey: question.key }
        const reply = await this.#visitor.send(message, signal)
        if (signal.aborted) return
        this.#kept.set('session', reply.sessionId)
        await this.#follow(reply.events, signal)
      } catch (error) {
        if (signal.aborted) return
        this.#entries = this.#entries.filter((entry) => entry !== this.#newestReply())
        const isRefused = isRefusal(error)
        // After a refusal, a retry needs a new key. Without a response, the server may have stored the message, so a
        // retry needs the same key.
        const key = isRefused ? randomKey() : sent.key
        this.#replace(sent, { ...sent, key, problem: problemOf(error) })
        if (isRefused) await this.#learnFrom(error, signal)
      }
    })
  }

  /** Handles a refused message: the chat is closed, the conversation is deleted, or another window is using it. */
  async #learnFrom({ status }: ParleyError, signal: AbortSignal): Promise<void> {
    if (status === 403) return this.#close(t('closed'))
    if (status === 404) {
      this.#kept.set('session', null)
      // Status 404 can mean an unknown session or an unknown deployment. Only `enter` fails for an unknown
      // deployment.
      await this.#visitor.enter().catch((error) => {
        if (isFinal(error)) this.#close(t('unknown'))
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

  /** Replaces the entries with the session's messages on the server. */
  async #readSession(signal: AbortSignal): Promise<void> {
    const sessionId = this.#kept.get('session')
    if (sessionId === null) return
    try {
      const messages = await this.#visitor.readSession(sessionId)
      if (!signal.aborted) this.#entries = messages.map(entryOf)
    } catch (error) {
      if (!isRefusal(error) || error.status !== 404) throw error
      this.#kept.set('session', null)
    }
  }

  /**
   * Follows the newest reply to its end. Reads the events of `first` if given. If the reply is still incomplete after
   * that, follows it again from its beginning.
   */
  async #follow(first: AsyncGenerator<VisitorEvent> | null, signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(TRIES_MAX)
    try {
      for (let events = first; ; events = null) {
        if (await this.#showReply(events ?? this.#resume(signal), signal)) return
        // The stored reply is complete, or another window has sent a message. Read the session to find out.
        if (!(await this.#persist(() => this.#readSession(signal), signal))) break
        if (this.#newestReply()?.status !== 'streaming') return this.#setTrouble(null)
        if (!(await backoff.wait(signal))) break
      }
      if (!signal.aborted) this.#leaveReply('streaming')
    } catch (error) {
      if (!signal.aborted) this.#leaveReply(isRefusal(error) ? 'error' : 'streaming')
    }
  }

  #resume(signal: AbortSignal): AsyncGenerator<VisitorEvent> {
    return this.#visitor.resume(this.#kept.get('session') ?? '', this.#newestReply()?.key ?? '', signal)
  }

  /** Shows a reply while it streams. Returns false if the stored reply must be read from the session instead. */
  async #showReply(events: AsyncGenerator<VisitorEvent>, signal: AbortSignal): Promise<boolean> {
    const parts = new ReplyParts()
    const throttle = new Throttle(() => {
      if (signal.aborted) return
      this.#trouble = null
      this.#changeReply(parts.asReply(this.#isStopping))
    })
    try {
      for await (const event of events) {
        if (event.type === 'reload') return false
        if (event.type === 'connection') {
          throttle.flush()
          this.#setTrouble(event.isLost ? lostSentence() : null)
        } else {
          parts.take(event)
          throttle.schedule()
        }
      }
      return true
    } finally {
      throttle.flush()
    }
  }

  /**
   * Repeats `work` until it succeeds. Returns false if the retries are used up or the signal aborts. Throws if the
   * server refuses the request, except for temporary refusals.
   */
  async #persist(work: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
    const backoff = new Backoff(TRIES_MAX)
    for (;;)
      try {
        await work()
        return true
      } catch (error) {
        if (isFinal(error)) throw error
        this.#setTrouble(lostSentence())
        if (!(await backoff.wait(signal))) return false
      }
  }

  #leaveReply(status: Reply['status']): void {
    this.#trouble = null
    this.#changeReply({ status, problem: t('replyUnfollowed') })
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

const lostSentence = (): string => (navigator.onLine ? t('lost') : t('offline'))

/** Returns whether the server refused the request. After any other error, a retry may succeed. */
const isRefusal = (error: unknown): error is ParleyError =>
  error instanceof ParleyError && error.status >= 400 && error.status < 500

/**
 * Statuses of temporary refusals: another server process is writing the reply (409), or a rate limit applies (429).
 */
const PASSING = [409, 429]

const isFinal = (error: unknown): error is ParleyError => isRefusal(error) && !PASSING.includes(error.status)

function problemOf(error: unknown): string {
  if (!isRefusal(error)) return t('notSent')
  switch (error.status) {
    case 402:
      return t('noCredits')
    case 403:
      return t('closed')
    case 404:
      return t('conversationGone')
    case 409:
      return t('busy')
    case 429:
      return tooMany(error.retryAfterMs)
    default:
      return t('refused')
  }
}

const MINUTES_FROM_SECONDS = 100

function tooMany(retryAfterMs: number | null): string {
  if (retryAfterMs === null) return t('tooMany')
  const seconds = Math.ceil(retryAfterMs / 1000)
  if (seconds < MINUTES_FROM_SECONDS) return t('tooManyForSeconds', { count: seconds })
  return t('tooManyForMinutes', { count: Math.ceil(seconds / 60) })
}
