import type { McpInstance } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { readPages, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Loaded, More } from '../../ui/states.tsx'
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
  const toggle = (id: string, isShared: boolean) =>
    setShared(isShared ? [...shared, id] : shared.filter((one) => one !== id))
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
      <AgentChoice shared={shared} isActive={instance.status === 'active'} onToggle={toggle} />
    </FormDialog>
  )
}

interface ChoiceProps {
  shared: readonly string[]
  isActive: boolean
  onToggle: (id: string, isShared: boolean) => void
}

function AgentChoice({ shared, isActive, onToggle }: ChoiceProps) {
  const { organization, may } = useHere()
  const agents = useInfiniteQuery(readPages('GET /api/agents/list', { org_id: organization.id, limit: 50 }))
  const refusal = !may('agent:write')
    ? t('sharing.permission', { permission: 'agent:write' })
    : isActive
      ? null
      : t('sharing.reconnect')
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="text-sm font-medium">{t('sharing.agents')}</legend>
      <p className="text-sm text-muted">{t('sharing.agentsHint', { organization: organization.name })}</p>
      <Loaded query={agents}>
        {(all) =>
          all.length === 0 ? (
            <p className="text-sm text-muted">{t('sharing.noAgents')}</p>
          ) : (
            <div className="flex max-h-60 flex-col gap-2 overflow-y-auto rounded-xl border border-line p-3">
              {all.map(({ id, name }) => (
                <CheckField
                  key={id}
                  label={name}
                  checked={shared.includes(id)}
                  disabled={refusal !== null && !shared.includes(id)}
                  onChange={({ target }) => onToggle(id, target.checked)}
                />
              ))}
              <More query={agents} />
            </div>
          )
        }
      </Loaded>
      {refusal && <p className="text-sm text-muted">{refusal}</p>}
    </fieldset>
  )
}
