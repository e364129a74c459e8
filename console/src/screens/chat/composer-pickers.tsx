import { useInfiniteQuery } from '@tanstack/react-query'
import { readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { useHidden } from '../../ui/deletions.ts'
import { Picker } from '../../ui/picker.tsx'
import { useActions, useConversationState } from './conversation-context.ts'

const t = translator('chat')

export function AnswererPicker() {
  const { models, agents, change } = useActions()
  const { target } = useConversationState()
  const choices = [
    ...models.map(({ id, name, config }) => ({
      id: `model ${id}`,
      name,
      note: noteOf(config.capabilities),
      group: t('pickers.models'),
    })),
    ...agents.map(({ id, name }) => ({ id: `agent ${id}`, name, group: t('pickers.agents') })),
  ]
  return (
    <Picker
      label={t('pickers.answerer')}
      choices={choices}
      chosen={target === null ? [] : [target]}
      onChange={([chosen]) => change({ target: chosen ?? null })}
      empty={t('pickers.noAnswerer')}
    />
  )
}

/** Returns a label for a model's most notable capability. Returns undefined if the model only generates text. */
function noteOf(capabilities: readonly string[] = []): string | undefined {
  if (capabilities.includes('image')) return t('pickers.image')
  if (capabilities.includes('video')) return t('pickers.video')
  return capabilities.includes('reasoning') ? t('pickers.reasoning') : undefined
}

export function KnowledgePicker() {
  const { organization } = useHere()
  const { change } = useActions()
  const { choices } = useConversationState()
  const { data = [] } = useInfiniteQuery(
    readPages('GET /api/chat/available_knowledge_bases', { org_id: organization.id, limit: 100 }),
  )
  const chosen = choices.knowledgeBaseIds.filter((id) => data.some((one) => one.id === id))
  if (data.length === 0) return null
  return (
    <Picker
      label={t('pickers.knowledge')}
      several
      choices={data}
      chosen={chosen}
      onChange={(ids) => change({ knowledgeBaseIds: ids.slice(0, BASES_MAX) })}
    >
      {chosen.length > 1 ? t('pickers.knowledgeCount', { count: chosen.length }) : undefined}
    </Picker>
  )
}

/** The API's maximum number of knowledge bases per message. */
const BASES_MAX = 10
const NONE = 'none'

export function InstructionPicker() {
  const { organization } = useHere()
  const { change } = useActions()
  const { choices } = useConversationState()
  const { data = [] } = useInfiniteQuery(
    readPages('GET /api/instructions/list', { org_id: organization.id, limit: 100 }),
  )
  const hidden = useHidden()
  const instructions = data.filter(({ id }) => !hidden.has(id))
  if (instructions.length === 0) return null
  const chosen = instructions.find(({ id }) => id === choices.instructionId)
  return (
    <Picker
      label={t('pickers.instruction')}
      choices={[{ id: NONE, name: t('pickers.noInstruction') }, ...instructions]}
      chosen={[chosen?.id ?? NONE]}
      onChange={([id]) => change({ instructionId: id === undefined || id === NONE ? null : id })}
    >
      {chosen?.name ?? t('pickers.instruction')}
    </Picker>
  )
}
