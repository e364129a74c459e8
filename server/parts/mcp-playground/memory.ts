import type { CalledTool } from './next-pages.ts'

export type PlaygroundMode = 'discovery' | 'direct'

/** A question in the playground with its answer. An exchange is remembered completely or not at all. */
export interface Exchange {
  mode: PlaygroundMode
  question: string
  /** ISO 8601. */
  askedAt: string
  answer: string
  answeredAt: string
  calls: CalledTool[]
}

/** Owner of a memory: a user has one per paying organization. */
export interface MemoryOwner {
  organizationId: string
  userId: string
}

/** Remembers exchanges until MEMORY_SECONDS after the last one. */
export interface PlaygroundMemory {
  /** Oldest first. */
  read(owner: MemoryOwner): Promise<Exchange[]>
  append(owner: MemoryOwner, exchange: Exchange): Promise<void>
  clear(owner: MemoryOwner): Promise<void>
}

/** 60 messages (spec, Limits). */
export const EXCHANGES_MAX = 30
export const MESSAGES_MAX = 2 * EXCHANGES_MAX
/** 30 messages in direct mode (spec, Limits). */
export const DIRECT_EXCHANGES_MAX = 15
export const MEMORY_SECONDS = 30 * 60
/** Maximum number of remembered characters per question or answer; the rest is cut. */
const REMEMBERED_CHARACTERS_MAX = 20_000
const CUT_REMARK = '\n[The rest was too long to keep.]'

/** Selects the exchanges to remember: the newest ones, with a lower limit for direct mode. */
export function rememberedOf(exchanges: readonly Exchange[]): Exchange[] {
  let direct = 0
  return exchanges
    .slice(-EXCHANGES_MAX)
    .reverse()
    .filter(({ mode }) => mode !== 'direct' || ++direct <= DIRECT_EXCHANGES_MAX)
    .reverse()
}

/** Cuts the question and answer of an exchange to their limits. */
export const bounded = (exchange: Exchange): Exchange => ({
  ...exchange,
  question: beginningOf(exchange.question),
  answer: beginningOf(exchange.answer),
})

const beginningOf = (text: string): string =>
  text.length <= REMEMBERED_CHARACTERS_MAX
    ? text
    : text.slice(0, REMEMBERED_CHARACTERS_MAX - CUT_REMARK.length).toWellFormed() + CUT_REMARK
