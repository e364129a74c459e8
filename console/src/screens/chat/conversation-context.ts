import type { Agent, ChatMessage, LanguageModel } from '@parley/client/schemas'
import { createContext, use } from 'react'
import type { Choices } from './choices.ts'

/** What can be done in the chat that is shown. It stays the same object while messages come and choices change. */
export interface ConversationActions {
  mayWrite: boolean
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

/** How it is now. */
export interface ConversationState {
  /** A reply is being written: what would make another one has to wait. */
  isBusy: boolean
  choices: Choices
  /** Who answers: what is chosen and there, else the first one. */
  target: string | null
}

export const ActionsContext = createContext<ConversationActions | null>(null)
export const StateContext = createContext<ConversationState | null>(null)

/** For what each message shows: it is not drawn again when a reply begins or ends. */
export const useActions = (): ConversationActions => there(use(ActionsContext))
export const useConversationState = (): ConversationState => there(use(StateContext))

function there<T>(value: T | null): T {
  if (value === null) throw new Error('It is for what a conversation shows')
  return value
}
