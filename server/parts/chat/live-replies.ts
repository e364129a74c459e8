import type { Services } from '#platform/services.ts'
import type { Reply, StopReason } from './reply.ts'
import type { ReplyEnd, ReplyWrites } from './reply-writes-system.ts'
import { type ReplyInput, writeReply } from './write-reply.ts'

/** Interval for storing the growth of replies in progress, in milliseconds. */
const GROWTH_MS = 800

/** Tracks the replies that this process is writing, and periodically stores their growth. */
export class LiveReplies {
  readonly #services: Services
  readonly #writes: ReplyWrites
  readonly #replies = new Map<string, { reply: Reply; ended: Promise<unknown> }>()
  #growth: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(services: Services, writes: ReplyWrites) {
    this.#services = services
    this.#writes = writes
  }

  /** Writes a reply in the background. Resolves to its final status. Never rejects. */
  write(reply: Reply, input: ReplyInput): Promise<ReplyEnd['status']> {
    const { message_id: messageId } = reply.ids
    const { metrics, tracing } = this.#services
    const measured = metrics.replySeconds.startTimer()
    metrics.repliesOpen.inc()
    this.#services.sharedLogs?.share(messageId, reply.log)
    const ended = writeReply(this.#services, this.#writes, reply, input).finally(() => {
      this.#replies.delete(messageId)
      metrics.repliesOpen.dec()
      measured()
    })
    this.#replies.set(messageId, { reply, ended })
    // The request of this reply arrived before the shutdown, and its reply starts after the grace period.
    if (this.#isClosed) reply.stop('shutdown')
    // The timer serves all replies, so it must not belong to the trace of the reply that starts it.
    const begin = (): NodeJS.Timeout => setInterval(() => this.#tick(), GROWTH_MS)
    this.#timer ??= tracing ? tracing.outside(begin) : begin()
    return ended
  }

  get(messageId: string): Reply | undefined {
    return this.#replies.get(messageId)?.reply
  }

  /** Returns the hold ids of the replies in progress. */
  holdIds(): string[] {
    return [...this.#replies.values()].map(({ reply }) => reply.ids.hold_id)
  }

  /** Stops the replies in progress in a chat, in any process. Returns false if there are none. */
  async stop(chat: { organizationId: string; chatId: string }): Promise<boolean> {
    const local = [...this.#replies.values()].filter(({ reply }) => reply.ids.chat_id === chat.chatId)
    for (const { reply } of local) reply.stop('user')
    await Promise.all(local.map(({ ended }) => ended))
    // Other processes may write replies to other sessions of the same conversation.
    const isElsewhere = await this.#writes.requestStop(chat)
    return local.length > 0 || isElsewhere
  }

  /** Waits up to `graceMs` milliseconds for replies to finish, then stops the remaining replies. */
  async close(graceMs: number): Promise<void> {
    const all = () => Promise.all([...this.#replies.values()].map(({ ended }) => ended))
    await Promise.race([all(), new Promise((resolve) => setTimeout(resolve, graceMs).unref())])
    this.#isClosed = true
    this.#stopAll('shutdown')
    await all()
    clearInterval(this.#timer)
  }

  #stopAll(reason: StopReason): void {
    for (const { reply } of this.#replies.values()) reply.stop(reason)
  }

  #tick(): void {
    if (this.#replies.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    this.#growth = this.#growth.then(() => this.#storeGrowth())
  }

  async #storeGrowth(): Promise<void> {
    const replies = [...this.#replies.values()].map(({ reply }) => reply)
    const growth = replies.flatMap((reply) => reply.takeGrowth() ?? [])
    try {
      if (growth.length > 0) await this.#writes.grow(growth)
      const requested = await this.#writes.stopRequested(replies.map((reply) => reply.ids.message_id))
      for (const messageId of requested) this.get(messageId)?.stop('user')
    } catch (error) {
      this.#services.log.warn({ err: error }, 'replies in progress could not be stored')
      for (const reply of replies) reply.growthLost()
    }
  }
}
