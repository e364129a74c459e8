import { useInfiniteQuery } from '@tanstack/react-query'
import { readPages } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Picker } from '../../ui/picker.tsx'
import { useActions, useConversationState } from './conversation-context.ts'

/** Which model or agent answers. */
export function AnswererPicker() {
  const { models, agents, change } = useActions()
  const { target } = useConversationState()
  const choices = [
    ...models.map(({ id, name, config }) => ({
      id: `model ${id}`,
      name,
      note: noteOf(config.capabilities),
      group: 'Models',
    })),
    ...agents.map(({ id, name }) => ({ id: `agent ${id}`, name, group: 'Agents' })),
  ]
  return (
    <Picker
      label="Model or agent"
      choices={choices}
      chosen={target === null ? [] : [target]}
      onChange={([chosen]) => change({ target: chosen ?? null })}
      empty="No model or agent of this name"
    />
  )
}

/** What a model does beside writing. */
function noteOf(capabilities: readonly string[] = []): string | undefined {
  if (capabilities.includes('image')) return 'makes images'
  if (capabilities.includes('video')) return 'makes videos'
  return capabilities.includes('reasoning') ? 'thinks' : undefined
}

/** Where the reply looks for passages. */
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
      label="Knowledge"
      several
      choices={data}
      chosen={chosen}
      onChange={(ids) => change({ knowledgeBaseIds: ids.slice(0, BASES_MAX) })}
    >
      {chosen.length > 1 ? `Knowledge: ${chosen.length}` : undefined}
    </Picker>
  )
}

/** As many as a message may name. */
const BASES_MAX = 10
const NONE = 'none'

/** What is said to the model first. */
export function InstructionPicker() {
  const { organization } = useHere()
  const { change } = useActions()
  const { choices } = useConversationState()
  const { data = [] } = useInfiniteQuery(
    readPages('GET /api/instructions/list', { org_id: organization.id, limit: 100 }),
  )
  if (data.length === 0) return null
  const chosen = data.find(({ id }) => id === choices.instructionId)
  return (
    <Picker
      label="Instruction"
      choices={[{ id: NONE, name: 'No instruction' }, ...data]}
      chosen={[chosen?.id ?? NONE]}
      onChange={([id]) => change({ instructionId: id === undefined || id === NONE ? null : id })}
    >
      {chosen?.name ?? 'Instruction'}
    </Picker>
  )
}
