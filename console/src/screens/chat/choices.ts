import type { Chat } from '@parley/client/schemas'
import { useMemo, useSyncExternalStore } from 'react'

/** The composer's settings: the model or agent, and the options of the reply. */
export interface Choices {
  /** `model ID` or `agent ID`. Null: none was chosen. */
  target: string | null
  instructionId: string | null
  knowledgeBaseIds: string[]
  thinking: boolean
  temperature: number | null
  maxTokens: number | null
}

const NOTHING: Choices = {
  target: null,
  instructionId: null,
  knowledgeBaseIds: [],
  thinking: false,
  temperature: null,
  maxTokens: null,
}
const KEY = 'parley.choices'
/** Beyond this, the oldest entries go, and those chats fall back to the settings on the server. */
const CHATS_MAX = 100

type Kept = Record<string, Choices>
let kept = parse(localStorage.getItem(KEY))
const listeners = new Set<() => void>()

/** Returns the choices of a chat: those on this device, else those on the server. New chats get the last ones. */
export function useChoices(organizationId: string, chatId: string | null, chat: Chat | null): Choices {
  const all = useSyncExternalStore(subscribe, () => kept)
  return useMemo(() => {
    const own = chatId === null ? undefined : all[chatId]
    return own ?? (chat ? choicesOf(chat) : all[organizationId]) ?? NOTHING
  }, [all, organizationId, chatId, chat])
}

/** Stores the choices for the chat and as the default of new chats. */
export function choose(organizationId: string, chatId: string | null, choices: Choices): void {
  const { [chatId ?? '']: _own, [organizationId]: _last, ...others } = kept
  const recent = Object.entries(others).slice(-CHATS_MAX)
  kept = {
    ...Object.fromEntries(recent),
    [organizationId]: choices,
    ...(chatId !== null && { [chatId]: choices }),
  }
  localStorage.setItem(KEY, JSON.stringify(kept))
  for (const listener of listeners) listener()
}

/** The choices that the server stores with a chat. */
const choicesOf = ({ model_id, agent_id, settings }: Chat): Choices => ({
  ...NOTHING,
  target: targetOf(model_id, agent_id),
  temperature: settings.temperature ?? null,
  maxTokens: settings.max_tokens ?? null,
})

export const targetOf = (modelId: string | null, agentId: string | null): string | null =>
  agentId !== null ? `agent ${agentId}` : modelId !== null ? `model ${modelId}` : null

/** Converts a target to the API's parameters. */
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

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
