import type { Upload } from '@parley/client/schemas'

/** The content of a user message. */
export interface Question {
  content: string
  uploads: Upload[]
  /** The id of the previous message. Null for the first message of a chat. */
  parentId: string | null
}

/** The model or agent that replies, and the options for the reply. */
export interface Answering {
  model_id?: string | undefined
  agent_id?: string | undefined
  instruction_id?: string | undefined
  temperature?: number | undefined
  max_tokens?: number | undefined
  thinking?: boolean | undefined
  knowledge_base_ids?: string[] | undefined
}

/** A message that the server has not accepted yet. */
export interface Unsent {
  /** The idempotency key of all tries, so that the server stores the message once. */
  key: string
  userId: string
  organizationId: string
  /** Null for the first message of a chat. */
  chatId: string | null
  question: Question
  /** Whether the message starts a branch. If false, the message follows the newest message. */
  isFork: boolean
  answering: Answering
  /** When the message was first sent, in milliseconds since the Unix epoch. */
  at: number
}

const STORAGE = 'parley.unsent'
/** The server recognizes repeats of a message for 24 hours (docs/idempotency.md). Less, because clocks differ. */
const REPEATABLE_MS = 20 * 3_600_000

/** Stores a message until the server accepts or refuses it. It survives a reload and a closed tab. */
export const keepUnsent = (message: Unsent): void => store([...without(message.key), message])

export const forgetUnsent = (key: string): void => store(without(key))

/** Returns the stored messages of a user in an organization. */
export const unsentOf = (userId: string, organizationId: string): Unsent[] =>
  all().filter((message) => message.userId === userId && message.organizationId === organizationId)

/** Returns whether a repeat cannot store the message twice. */
export const isRepeatable = ({ at }: Unsent): boolean => Date.now() - at < REPEATABLE_MS

/** Returns whether two requests would be equal except for their idempotency keys. */
export const isSameRequest = (one: Unsent, other: Unsent): boolean => requestOf(one) === requestOf(other)

const requestOf = ({ key: _key, at: _at, ...request }: Unsent): string => JSON.stringify(request)

const without = (key: string): Unsent[] => all().filter((message) => message.key !== key)

function all(): Unsent[] {
  try {
    return JSON.parse(localStorage.getItem(STORAGE) ?? '[]') as Unsent[]
  } catch {
    return []
  }
}

function store(messages: Unsent[]): void {
  try {
    if (messages.length === 0) localStorage.removeItem(STORAGE)
    else localStorage.setItem(STORAGE, JSON.stringify(messages))
  } catch {
    // The browser's storage is full. The message stays in memory.
  }
}
