import type { Deployment } from '@parley/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, Pause, Pencil, Play, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { STATES } from './deployment-words.ts'

/** Its state, and what can be done with the whole of it. */
export function DeploymentActions({ deployment }: { deployment: Deployment }) {
  const { may } = useHere()
  const [isNaming, setNaming] = useState(false)
  const { word, tone } = STATES[deployment.status]
  const remove = useRemove(deployment)
  return (
    <>
      <Badge tone={tone}>{word}</Badge>
      {may('agent:write') && <PauseButton deployment={deployment} />}
      {(may('agent:write') || may('agent:delete')) && (
        <Menu trigger={<IconButton icon={Ellipsis} label="More actions" />}>
          {may('agent:write') && (
            <MenuItem icon={Pencil} onSelect={() => setNaming(true)}>
              Rename
            </MenuItem>
          )}
          {may('agent:delete') && (
            <MenuItem icon={Trash2} danger onSelect={() => void remove()}>
              Delete
            </MenuItem>
          )}
        </Menu>
      )}
      {isNaming && <NameDialog deployment={deployment} onClose={() => setNaming(false)} />}
    </>
  )
}

const OUTDATED = ['GET /api/agent_deploy/get', 'GET /api/agent_deploy/list'] as const

function PauseButton({ deployment: { id, status } }: { deployment: Deployment }) {
  const notify = useNotify()
  const isActive = status === 'active'
  const change = useChange('PUT /api/agent_deploy/update', {
    outdates: OUTDATED,
    onDone: ({ status: now }) =>
      notify(now === 'active' ? 'It answers again' : 'Paused: visitors are told that the chat is closed'),
  })
  return (
    <Button
      icon={isActive ? Pause : Play}
      busy={change.isPending}
      onClick={() =>
        change.mutate(
          { query: { deployment_id: id }, body: { status: isActive ? 'paused' : 'active' } },
          { onError: notify },
        )
      }
    >
      {isActive ? 'Pause' : 'Resume'}
    </Button>
  )
}

function useRemove({ id, name, deployment_type: type }: Deployment): () => Promise<void> {
  const navigate = useNavigate()
  const notify = useNotify()
  const confirm = useConfirm()
  const remove = useChange('DELETE /api/agent_deploy/delete', {
    outdates: ['GET /api/agent_deploy/list'],
    onDone() {
      notify(`${name} was deleted`)
      void navigate({ to: '/deployments', ignoreBlocker: true })
    },
  })
  return async () => {
    const goes = type === 'api' ? 'Its key stops working at once.' : 'The chat disappears from your pages.'
    const isSure = await confirm({
      title: `Delete ${name}?`,
      consequence: `${goes} All conversations that visitors had with it are deleted. The agent stays. This can't be undone.`,
      action: 'Delete',
      typed: name,
    })
    if (isSure) remove.mutate({ query: { deployment_id: id } }, { onError: notify })
  }
}

function NameDialog({ deployment, onClose }: { deployment: Deployment; onClose: () => void }) {
  const [form, setForm] = useState({ name: deployment.name, description: deployment.description })
  const change = useChange('PUT /api/agent_deploy/update', { outdates: OUTDATED, onDone: onClose })
  const submit = () => {
    change.mutate({ query: { deployment_id: deployment.id }, body: form })
  }
  return (
    <FormDialog
      open
      onClose={onClose}
      title="Rename"
      action="Save"
      busy={change.isPending}
      error={change.error}
      onSubmit={submit}
    >
      <TextField
        label="Name"
        required
        maxLength={200}
        value={form.name}
        onChange={({ target }) => setForm({ ...form, name: target.value })}
      />
      <TextAreaField
        label="Description"
        hint="For your colleagues; visitors do not see it"
        maxLength={5_000}
        rows={3}
        value={form.description}
        onChange={({ target }) => setForm({ ...form, description: target.value })}
      />
    </FormDialog>
  )
}
