import type { CalledTool } from './next-pages.ts'

export type PlaygroundMode = 'discovery' | 'direct'

/** What somebody asked in the playground, and what was answered; it is remembered whole or not at all. */
export interface Exchange {
  mode: PlaygroundMode
  question: string
  /** ISO 8601. */
  askedAt: string
  answer: string
  answeredAt: string
  calls: CalledTool[]
}

/** Whose memory it is: a person has one in each organization that pays. */
export interface MemoryOwner {
  organizationId: string
  userId: string
}

/** What is remembered of the playground, until nobody has written for MEMORY_SECONDS. */
export interface PlaygroundMemory {
  /** Oldest first. */
  read(owner: MemoryOwner): Promise<Exchange[]>
  append(owner: MemoryOwner, exchange: Exchange): Promise<void>
  clear(owner: MemoryOwner): Promise<void>
}

/** Spec, Limits: 60 messages. */
export const EXCHANGES_MAX = 30
export const MESSAGES_MAX = 2 * EXCHANGES_MAX
/** Spec, Limits: 30 messages in direct mode. */
export const DIRECT_EXCHANGES_MAX = 15
export const MEMORY_SECONDS = 30 * 60
/** A question or an answer, in characters; of longer ones the beginning is remembered. */
const REMEMBERED_CHARACTERS_MAX = 20_000
const CUT_REMARK = '\n[The rest was too long to be remembered.]'

/** Of all that is kept, what is remembered: the newest exchanges, and fewer of direct mode. */
export function rememberedOf(exchanges: readonly Exchange[]): Exchange[] {
  let direct = 0
  return exchanges
    .slice(-EXCHANGES_MAX)
    .reverse()
    .filter(({ mode }) => mode !== 'direct' || ++direct <= DIRECT_EXCHANGES_MAX)
    .reverse()
}

/** An exchange no longer than what is kept of one. */
export const bounded = (exchange: Exchange): Exchange => ({
  ...exchange,
  question: beginningOf(exchange.question),
  answer: beginningOf(exchange.answer),
})

const beginningOf = (text: string): string =>
  text.length <= REMEMBERED_CHARACTERS_MAX
    ? text
    : text.slice(0, REMEMBERED_CHARACTERS_MAX - CUT_REMARK.length).toWellFormed() + CUT_REMARK
