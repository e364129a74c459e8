import type { Agent, ChatMessage, LanguageModel } from '@parley/client/schemas'
import { createContext, use } from 'react'
import type { Choices } from './choices.ts'
import type { Unsent } from './unsent.ts'

/** The actions of the open chat. The object does not change when messages arrive or choices change. */
export interface ConversationActions {
  mayWrite: boolean
  models: readonly LanguageModel[]
  agents: readonly Agent[]
  /** Whether models and agents are loaded. */
  isReady: boolean
  change: (choices: Partial<Choices>) => void
  /** Sends the draft as a message. */
  send: () => void
  /** Sends a message of an earlier visit that the server has not accepted. */
  resend: (message: Unsent) => void
  /** Sends a new version of a user message, which starts a new branch. */
  edit: (message: ChatMessage, content: string) => void
  /** Asks for the rest of a reply that was cut off. */
  proceed: (message: ChatMessage) => void
  /** Requests another reply. If `target` is omitted, uses the model or agent of the given reply. */
  regenerate: (message: ChatMessage, target?: string) => void
  /** Switches to the branch that contains a message. */
  goTo: (message: ChatMessage) => void
  /** Stops the reply. Takes the message back into the composer if the server has not accepted it. */
  stop: () => void
}

export interface ConversationState {
  /** Whether a reply is in progress. Another reply can start only after it ends. */
  isBusy: boolean
  choices: Choices
  /** The model or agent that replies: the chosen one or, if that is unavailable, the default model. */
  target: string | null
}

export const ActionsContext = createContext<ConversationActions | null>(null)
export const StateContext = createContext<ConversationState | null>(null)

/** Returns the actions only, so that the calling component does not render again when a reply starts or ends. */
export const useActions = (): ConversationActions => there(use(ActionsContext))
export const useConversationState = (): ConversationState => there(use(StateContext))

function there<T>(value: T | null): T {
  if (value === null) throw new Error('Used outside a conversation')
  return value
}
