import type { CalledTool } from './next-pages.ts'

export type PlaygroundMode = 'discovery' | 'direct'

/** A question in the playground and the model's reply. An exchange is stored completely or not at all. */
export interface Exchange {
  mode: PlaygroundMode
  question: string
  /** Time of the question, in ISO 8601. */
  askedAt: string
  answer: string
  answeredAt: string
  calls: CalledTool[]
}

/** The owner of a memory. A user has a separate memory in each paying organization. */
export interface MemoryOwner {
  organizationId: string
  userId: string
}

/** Stores the exchanges of each owner. A memory expires MEMORY_SECONDS after its last exchange. */
export interface PlaygroundMemory {
  /** Returns the owner's exchanges, oldest first. */
  read(owner: MemoryOwner): Promise<Exchange[]>
  append(owner: MemoryOwner, exchange: Exchange): Promise<void>
  clear(owner: MemoryOwner): Promise<void>
}

/**
 * Maximum number of exchanges in a memory. An exchange is two messages, and the limit is 60 messages.
 * @limit remembered questions with replies
 */
export const EXCHANGES_MAX = 30
export const MESSAGES_MAX = 2 * EXCHANGES_MAX
/** Maximum number of direct-mode exchanges in a memory. The limit is 30 messages. */
export const DIRECT_EXCHANGES_MAX = 15
export const MEMORY_SECONDS = 30 * 60
/**
 * Maximum number of characters stored per question or reply. The rest is cut off.
 * @limit remembered text per question or reply
 */
const REMEMBERED_CHARACTERS_MAX = 20_000
const CUT_REMARK = '\n[The rest was too long to keep.]'

/** Returns the newest exchanges, up to the limits for all modes and for direct mode. */
export function rememberedOf(exchanges: readonly Exchange[]): Exchange[] {
  let direct = 0
  return exchanges
    .slice(-EXCHANGES_MAX)
    .reverse()
    .filter(({ mode }) => mode !== 'direct' || ++direct <= DIRECT_EXCHANGES_MAX)
    .reverse()
}

/** Truncates the question and the reply of an exchange to the maximum length. */
export const bounded = (exchange: Exchange): Exchange => ({
  ...exchange,
  question: beginningOf(exchange.question),
  answer: beginningOf(exchange.answer),
})

const beginningOf = (text: string): string =>
  text.length <= REMEMBERED_CHARACTERS_MAX
    ? text
    : text.slice(0, REMEMBERED_CHARACTERS_MAX - CUT_REMARK.length).toWellFormed() + CUT_REMARK
