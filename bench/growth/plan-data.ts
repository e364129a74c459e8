import { randomUUID } from 'node:crypto'
import { ownerMark, toVector } from '../../server/parts/chat/words.ts'
import { pickMany } from '../generated-knowledge.ts'

/* Plans the generated data: how many rows of which size each organization gets. */

/** Amounts of generated data. `full` is the scale 1. */
export interface Amounts {
  messages: number
  chunks: number
  organizations: number
}

export const FULL: Amounts = { messages: 1_000_000, chunks: 100_000, organizations: 1_000 }

export const scaled = (scale: number): Amounts => ({
  messages: Math.ceil(FULL.messages * scale),
  chunks: Math.ceil(FULL.chunks * scale),
  organizations: Math.ceil(FULL.organizations * scale),
})

/** Share of all data that the measured organization has, and of its messages that the measured user has. */
const LARGEST_SHARE = 0.1
const OWN_SHARE = 0.5
const MEMBERS_PER_ORGANIZATION = 10
const SMALL_CHAT = 10
const LARGE_CHAT = 5_000
const SMALL_KB = 10
const LARGE_KB = 20_000
/** The large chat or knowledge base has at most this share of all messages or chunks. */
const LARGE_SHARE_MAX = 0.2
const TEXTS = 1_000
const WORDS_OF_QUESTION = 12
const WORDS_OF_REPLY = 60
/** Replaced in the word vectors of texts by the mark of the owner. */
export const MARK = '@@@@@@'

/** Shares and sizes of chats, in messages. The mean is about 14. */
const CHAT_SIZES = [
  { share: 0.5, from: 2, to: 4 },
  { share: 0.3, from: 6, to: 20 },
  { share: 0.19, from: 20, to: 60 },
  { share: 0.01, from: 100, to: 400 },
]
/** The same of knowledge bases, in chunks. */
const KB_SIZES = [
  { share: 0.6, from: 10, to: 50 },
  { share: 0.35, from: 50, to: 400 },
  { share: 0.05, from: 400, to: 2_000 },
]

export interface Member {
  organizationId: string
  userId: string
}

export interface PlannedChat extends Member {
  mark: string
  messages: number
}

export interface Plan {
  organizations: string[]
  members: Member[]
  /** The first chat is the large one and the second the small one, both of the measured user. */
  chats: PlannedChat[]
  /** Chunks of each knowledge base. The first is the large one and the second the small one, both of the measured user. */
  kbs: (Member & { chunks: number })[]
}

/** Plans the data beside and of the measured user, who owns the largest organization. */
export function planData(measured: Member, { messages, chunks, organizations }: Amounts): Plan {
  const others = Array.from({ length: organizations - 1 }, () => randomUUID())
  const all = organizations * MEMBERS_PER_ORGANIZATION
  const own = Math.ceil(all * LARGEST_SHARE)
  const members = Array.from({ length: all - 1 }, (_, at) => ({
    organizationId:
      at < own || others.length === 0 ? measured.organizationId : (others[at % others.length] as string),
    userId: randomUUID(),
  }))
  const colleagues = members.slice(0, own)
  const strangers = members.slice(own)
  const ownerOf = (share: number): Member => {
    if (share < LARGEST_SHARE * OWN_SHARE) return measured
    return any(share < LARGEST_SHARE || strangers.length === 0 ? colleagues : strangers) ?? measured
  }
  const chats = [
    { ...measured, messages: Math.min(LARGE_CHAT, evenly(messages * LARGE_SHARE_MAX)) },
    { ...measured, messages: SMALL_CHAT },
  ]
  for (let left = messages - sum(chats.map((chat) => chat.messages)); left > 0; ) {
    const size = Math.min(evenly(sizeOf(CHAT_SIZES)), evenly(left))
    chats.push({ ...ownerOf(Math.random()), messages: size })
    left -= size
  }
  const kbs = [
    { ...measured, chunks: Math.min(LARGE_KB, Math.ceil(chunks * LARGE_SHARE_MAX)) },
    { ...measured, chunks: SMALL_KB },
  ]
  for (let left = chunks - sum(kbs.map((kb) => kb.chunks)); left > 0; ) {
    const size = Math.min(sizeOf(KB_SIZES), left)
    kbs.push({ ...ownerOf(Math.random()), chunks: size })
    left -= size
  }
  return {
    organizations: others,
    members: [measured, ...members],
    chats: chats.map((chat) => ({ ...chat, mark: ownerMark(chat) })),
    kbs,
  }
}

export interface Text {
  number: number
  role: 'user' | 'assistant'
  content: string
  /** The words as a tsvector, with MARK in place of the owner's mark. */
  vector: string
}

/** Returns texts that the messages repeat: questions with even numbers, and longer replies with odd ones. */
export const planTexts = (words: string[]): Text[] =>
  Array.from({ length: TEXTS }, (_, number) => {
    const isQuestion = number % 2 === 0
    const content = `topic${number} ${pickMany(words, isQuestion ? WORDS_OF_QUESTION : WORDS_OF_REPLY)}`
    return { number, role: isQuestion ? 'user' : 'assistant', content, vector: toVector(MARK, content) }
  })

function sizeOf(sizes: typeof CHAT_SIZES): number {
  const shares = Math.random()
  const size =
    sizes.find((_, at) => sum(sizes.slice(0, at + 1).map(({ share }) => share)) > shares) ?? sizes[0]
  return size ? size.from + Math.floor(Math.random() * (size.to - size.from + 1)) : 1
}

/** Rounds up to an even number, because every question has its reply. */
const evenly = (count: number): number => Math.ceil(count / 2) * 2
const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0)
const any = <T>(list: T[]): T | undefined => list[Math.floor(Math.random() * list.length)]
