import { createContext, use } from 'react'
import type { Agent, Chat, ChatMessage, LanguageModel } from '../../api/operations.ts'
import type { Choices } from './choices.ts'

/** What can be done in the chat that is shown. It stays the same object while nothing but its messages changes. */
export interface ConversationActions {
  chat: Chat | null
  /** A reply is being written: what would make another one has to wait. */
  isBusy: boolean
  mayWrite: boolean
  choices: Choices
  /** Who answers: what is chosen and there, else the first one. */
  target: string | null
  models: readonly LanguageModel[]
  agents: readonly Agent[]
  /** It is known who can answer. */
  isReady: boolean
  change: (choices: Partial<Choices>) => void
  /** Sends the draft. */
  send: () => void
  /** Sends a message in the place of an own one. */
  edit: (message: ChatMessage, content: string) => void
  /** Without a target: by who has answered before. */
  regenerate: (message: ChatMessage, target?: string) => void
  /** Goes to the branch with a message. */
  goTo: (message: ChatMessage) => void
  stop: () => void
}

export const ConversationContext = createContext<ConversationActions | null>(null)

export function useActions(): ConversationActions {
  const actions = use(ConversationContext)
  if (!actions) throw new Error('useActions is for what a conversation shows')
  return actions
}
