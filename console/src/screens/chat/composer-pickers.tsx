import { useInfiniteQuery } from '@tanstack/react-query'
import { read, readPages } from '../../api/queries.ts'
import { useRecords } from '../../api/use-records.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { CHOICES_PAGE, listChoices } from '../../ui/choices.ts'
import { useHidden } from '../../ui/deletions.ts'
import { Picker } from '../../ui/picker.tsx'
import { choiceOfAgent, choiceOfModel, useAnswererLists } from './answerers.ts'
import { useActions, useConversationState } from './conversation-context.ts'

const t = translator('chat')

export function AnswererPicker() {
  const { models, agents, change } = useActions()
  const { target } = useConversationState()
  const answerers = [...models.map(choiceOfModel), ...agents.map(choiceOfAgent)]
  return (
    <Picker
      label={t('pickers.answerer')}
      lists={useAnswererLists()}
      chosen={answerers.filter(({ id }) => id === target)}
      onChange={([chosen]) => change({ target: chosen?.id ?? null })}
      empty={t('pickers.noAnswerer')}
    />
  )
}

export function KnowledgePicker() {
  const { organization } = useHere()
  const { change } = useActions()
  const { choices } = useConversationState()
  const here = { org_id: organization.id }
  const { data } = useInfiniteQuery(
    readPages('GET /api/chat/available_knowledge_bases', { ...here, limit: CHOICES_PAGE }),
  )
  const { records } = useRecords(choices.knowledgeBaseIds, data, (kb_id) =>
    read('GET /api/kb/get', { kb_id }),
  )
  const chosen = records.filter(({ id }) => choices.knowledgeBaseIds.includes(id))
  if (records.length === 0) return null
  return (
    <Picker
      label={t('pickers.knowledge')}
      several
      lists={[listChoices('GET /api/chat/available_knowledge_bases', here, ({ id, name }) => ({ id, name }))]}
      chosen={chosen}
      onChange={(bases) => change({ knowledgeBaseIds: bases.slice(0, BASES_MAX).map(({ id }) => id) })}
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
  const here = { org_id: organization.id }
  const { data } = useInfiniteQuery(readPages('GET /api/instructions/list', { ...here, limit: CHOICES_PAGE }))
  const { instructionId } = choices
  const { records } = useRecords(instructionId === null ? [] : [instructionId], data, (instruction_id) =>
    read('GET /api/instructions/get', { instruction_id }),
  )
  const hidden = useHidden()
  const instructions = records.filter(({ id }) => !hidden.has(id))
  if (instructions.length === 0) return null
  const none = { id: NONE, name: t('pickers.noInstruction') }
  const chosen = instructions.find(({ id }) => id === instructionId)
  return (
    <Picker
      label={t('pickers.instruction')}
      choices={[none]}
      lists={[
        listChoices('GET /api/instructions/list', here, ({ id, name }) =>
          hidden.has(id) ? null : { id, name },
        ),
      ]}
      chosen={[chosen ?? none]}
      onChange={([next]) =>
        change({ instructionId: next === undefined || next.id === NONE ? null : next.id })
      }
    >
      {chosen?.name ?? t('pickers.instruction')}
    </Picker>
  )
}
