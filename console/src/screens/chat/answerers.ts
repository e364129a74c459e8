import type { Agent, ChatMessage, LanguageModel } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { read, readPages } from '../../api/queries.ts'
import { useRecords } from '../../api/use-records.ts'
import { translator } from '../../messages/index.ts'
import { useModels } from '../../shell/models.ts'
import { useHere } from '../../shell/organization.tsx'
import { useDefaultModels } from '../../shell/own.ts'
import { CHOICES_PAGE, type Choice, type ChoiceList, listChoices } from '../../ui/choices.ts'
import { idsOf } from './choices.ts'

/** The models and agents that can reply in chats. */

const t = translator('chat')

/**
 * Returns the newest models and agents that the user can choose for a reply, the default model, and those that a chat
 * already names.
 *
 * @param target the chosen model or agent
 */
export function useAnswerers(target: string | null, messages: readonly ChatMessage[] = []) {
  const { organization } = useHere()
  const org_id = organization.id
  const { mayUseAgents } = usePermissions()
  const agents = useInfiniteQuery({
    ...readPages('GET /api/agents/list', { org_id, limit: CHOICES_PAGE }),
    enabled: mayUseAgents,
  })
  const defaults = useDefaultModels()
  const defaultId = defaults.data?.model_id ?? null
  const chosen = target === null ? {} : idsOf(target)
  const { models, isLoading } = useModels(
    present([defaultId, chosen.model_id, ...messages.map(({ model_id }) => model_id)]),
  )
  const namedAgents = useRecords(
    present([chosen.agent_id, ...messages.map(({ agent_id }) => agent_id)]),
    agents.data,
    (agent_id) => read('GET /api/agents/get', { agent_id }),
  )
  const isReady = !isLoading && ![agents, defaults, namedAgents].some((one) => one.isLoading)
  return useMemo(
    () => ({
      defaultId,
      models: models.filter(canReply),
      agents: namedAgents.records.filter(({ is_active }) => is_active),
      isReady,
    }),
    [models, namedAgents.records, defaultId, isReady],
  )
}

/** Returns the lists of all models and agents that the user can choose for a reply. */
export function useAnswererLists(): ChoiceList[] {
  const { organization } = useHere()
  const here = { org_id: organization.id }
  const { mayReadModels, mayUseAgents } = usePermissions()
  const models = listChoices(
    'GET /api/llm/list',
    here,
    (model) => (canReply(model) ? choiceOfModel(model) : null),
    t('pickers.models'),
  )
  const agents = listChoices(
    'GET /api/agents/list',
    here,
    (agent) => (agent.is_active ? choiceOfAgent(agent) : null),
    t('pickers.agents'),
  )
  return [...(mayReadModels ? [models] : []), ...(mayUseAgents ? [agents] : [])]
}

function usePermissions() {
  const { may } = useHere()
  return {
    mayReadModels: may('organization:read'),
    mayUseAgents: may('agent:read') && may('agent:execute'),
  }
}

export const choiceOfModel = ({ id, name, config }: LanguageModel): Choice => ({
  id: `model ${id}`,
  name,
  note: noteOf(config.capabilities),
})

export const choiceOfAgent = ({ id, name }: Agent): Choice => ({ id: `agent ${id}`, name })

/** Returns a label for a model's most notable capability. Returns undefined if the model only generates text. */
function noteOf(capabilities: readonly string[] = []): string | undefined {
  if (capabilities.includes('image')) return t('pickers.image')
  if (capabilities.includes('video')) return t('pickers.video')
  return capabilities.includes('reasoning') ? t('pickers.reasoning') : undefined
}

const canReply = ({ is_active, config }: LanguageModel): boolean =>
  is_active && !config.capabilities?.some((one) => ['embedding', 'transcription', 'speech'].includes(one))

const present = (ids: readonly (string | null | undefined)[]): string[] => ids.filter((id) => id != null)
