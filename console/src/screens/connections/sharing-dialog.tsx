import type { McpInstance } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read, readPages, useChange } from '../../api/queries.ts'
import { useRecords } from '../../api/use-records.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { CHOICES_PAGE, listChoices } from '../../ui/choices.ts'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { PickerField } from '../../ui/picker-field.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { nameOf } from './connection-words.ts'

const t = translator('connections')

/** Edits a connection's name and the list of agents that may use it. */
export function SharingDialog({ instance, onClose }: { instance: McpInstance; onClose: () => void }) {
  const notify = useNotify()
  const [name, setName] = useState(nameOf(instance))
  const [shared, setShared] = useState<readonly string[]>(instance.shared_agent_ids)
  const change = useChange('PUT /api/mcp/instance', {
    outdates: ['GET /api/mcp/list_instances', 'GET /api/agents/get'],
    onDone() {
      notify(t('sharing.saved'))
      onClose()
    },
  })
  const submit = () => {
    change.mutate({
      query: { mcp_instance_id: instance.id },
      body: { name, shared_agent_ids: [...shared] },
    })
  }
  return (
    <FormDialog
      open
      onClose={onClose}
      title={t('sharing.title')}
      action={t('sharing.save')}
      busy={change.isPending}
      error={change.error}
      onSubmit={submit}
    >
      <TextField
        label={t('sharing.name')}
        hint={t('sharing.nameHint')}
        required
        maxLength={200}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <AgentChoice shared={shared} isActive={instance.status === 'active'} onChange={setShared} />
    </FormDialog>
  )
}

interface ChoiceProps {
  shared: readonly string[]
  isActive: boolean
  onChange: (shared: string[]) => void
}

function AgentChoice({ shared, isActive, onChange }: ChoiceProps) {
  const { organization, may } = useHere()
  const org_id = organization.id
  const newest = useInfiniteQuery(readPages('GET /api/agents/list', { org_id, limit: CHOICES_PAGE }))
  const { records } = useRecords(shared, newest.data, (agent_id) => read('GET /api/agents/get', { agent_id }))
  const choiceOf = (id: string) => ({ id, name: records.find((one) => one.id === id)?.name ?? '…' })
  const chosen = shared.map(choiceOf)
  const refusal = !may('agent:write')
    ? t('sharing.permission', { permission: 'agent:write' })
    : isActive
      ? null
      : t('sharing.reconnect')
  // Without the permission, the user can only end what is shared.
  const [before] = useState(shared)
  return (
    <PickerField
      label={t('sharing.agents')}
      hint={[t('sharing.agentsHint', { organization: organization.name }), refusal].filter(Boolean).join(' ')}
      several
      choices={refusal === null ? [] : before.map(choiceOf)}
      lists={
        refusal === null
          ? [listChoices('GET /api/agents/list', { org_id }, ({ id, name }) => ({ id, name }))]
          : []
      }
      chosen={chosen}
      onChange={(agents) => onChange(agents.map(({ id }) => id))}
      empty={t('sharing.noMatches')}
    >
      {chosen.length === 0 ? t('sharing.choose') : undefined}
    </PickerField>
  )
}
