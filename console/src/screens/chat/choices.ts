import type { Chat } from '@parley/client/schemas'
import { useMemo, useSyncExternalStore } from 'react'
import { Listeners } from '../../api/listeners.ts'

/** The settings that users choose in the composer: a model or agent, and options for the reply. */
export interface Choices {
  /** The model or agent as `model ID` or `agent ID`. Null if none was chosen. */
  target: string | null
  /** The default model when `target` was chosen. */
  defaultId: string | null
  instructionId: string | null
  knowledgeBaseIds: string[]
  thinking: boolean
  temperature: number | null
  maxTokens: number | null
}

const NOTHING: Choices = {
  target: null,
  defaultId: null,
  instructionId: null,
  knowledgeBaseIds: [],
  thinking: false,
  temperature: null,
  maxTokens: null,
}
const KEY = 'parley.choices'
/** Maximum number of chats whose choices are stored in the browser. For older chats, the server's settings apply. */
const CHATS_MAX = 100

type Kept = Record<string, Choices>
let kept = parse(localStorage.getItem(KEY))
const listeners = new Listeners()

/**
 * Returns the choices of a chat: those stored in this browser or, if there are none, those on the server. For a new
 * chat, returns the choices that were made last in the organization. Their target applies until the default changes.
 */
export function useChoices(organizationId: string, chatId: string | null, chat: Chat | null): Choices {
  const all = useSyncExternalStore(listeners.subscribe, () => kept)
  return useMemo(() => {
    const own = chatId === null ? undefined : all[chatId]
    return own ?? (chat ? choicesOf(chat) : all[organizationId]) ?? NOTHING
  }, [all, organizationId, chatId, chat])
}

/** Stores the choices of a chat. They also become the default for new chats. */
export function choose(organizationId: string, chatId: string | null, choices: Choices): void {
  const { [chatId ?? '']: _own, [organizationId]: _last, ...others } = kept
  const recent = Object.entries(others).slice(-CHATS_MAX)
  kept = {
    ...Object.fromEntries(recent),
    [organizationId]: choices,
    ...(chatId !== null && { [chatId]: choices }),
  }
  localStorage.setItem(KEY, JSON.stringify(kept))
  listeners.notify()
}

/** Returns the choices that the server stores for a chat. */
const choicesOf = ({ model_id, agent_id, settings }: Chat): Choices => ({
  ...NOTHING,
  target: targetOf(model_id, agent_id),
  temperature: settings.temperature ?? null,
  maxTokens: settings.max_tokens ?? null,
})

export const targetOf = (modelId: string | null, agentId: string | null): string | null =>
  agentId !== null ? `agent ${agentId}` : modelId !== null ? `model ${modelId}` : null

/** Converts a target to query parameters of the API. */
export function idsOf(target: string): { model_id?: string; agent_id?: string } {
  const [kind, id = ''] = target.split(' ')
  return kind === 'agent' ? { agent_id: id } : { model_id: id }
}

function parse(text: string | null): Kept {
  try {
    return text === null ? {} : (JSON.parse(text) as Kept)
  } catch {
    return {}
  }
}
