import type { McpInstance } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { readPages, useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Loaded, More } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { nameOf } from './connection-words.ts'

/** What a connection is called, and which agents use it. */
export function SharingDialog({ instance, onClose }: { instance: McpInstance; onClose: () => void }) {
  const notify = useNotify()
  const [name, setName] = useState(nameOf(instance))
  const [shared, setShared] = useState<readonly string[]>(instance.shared_agent_ids)
  const change = useChange('PUT /api/mcp/instance', {
    outdates: ['GET /api/mcp/list_instances', 'GET /api/agents/get'],
    onDone() {
      notify('Saved')
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
      title="Name and sharing"
      action="Save"
      busy={change.isPending}
      error={change.error}
      onSubmit={submit}
    >
      <TextField
        label="Name"
        hint="Tells several accounts at one service apart"
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
    ? 'To share it you need the permission to change agents (agent:write).'
    : isActive
      ? null
      : 'Connect it again to share it with more agents.'
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="text-sm font-medium">Agents that use it</legend>
      <p className="text-sm text-muted">
        Such an agent acts with your account for whoever talks to it: members of {organization.name}, and
        visitors of its deployments.
      </p>
      <Loaded query={agents}>
        {(all) =>
          all.length === 0 ? (
            <p className="text-sm text-muted">There are no agents yet.</p>
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
