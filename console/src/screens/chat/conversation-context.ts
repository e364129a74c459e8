import type { Agent, ChatMessage, LanguageModel } from '@parley/client/schemas'
import { createContext, use } from 'react'
import type { Choices } from './choices.ts'

/** The actions of the open chat. The object stays the same while messages arrive and choices change. */
export interface ConversationActions {
  mayWrite: boolean
  models: readonly LanguageModel[]
  agents: readonly Agent[]
  /** The models and agents are loaded. */
  isReady: boolean
  change: (choices: Partial<Choices>) => void
  /** Sends the draft. */
  send: () => void
  /** Sends a new version of a user message, on a branch of its own. */
  edit: (message: ChatMessage, content: string) => void
  /** Without a target, the same model or agent replies again. */
  regenerate: (message: ChatMessage, target?: string) => void
  /** Switches to the branch of a message. */
  goTo: (message: ChatMessage) => void
  stop: () => void
}

export interface ConversationState {
  /** A reply is in progress, so no other one can start. */
  isBusy: boolean
  choices: Choices
  /** The model or agent that replies: the chosen one if it is available, else the first one. */
  target: string | null
}

export const ActionsContext = createContext<ConversationActions | null>(null)
export const StateContext = createContext<ConversationState | null>(null)

/** For messages: a component that reads only this does not render again when a reply starts or ends. */
export const useActions = (): ConversationActions => there(use(ActionsContext))
export const useConversationState = (): ConversationState => there(use(StateContext))

function there<T>(value: T | null): T {
  if (value === null) throw new Error('Used outside a conversation')
  return value
}
