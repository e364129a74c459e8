import type { Deployment } from '@parley/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, Pause, Pencil, Play, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { TONES } from './deployment-words.ts'

const t = translator('deployments')

export function DeploymentActions({ deployment }: { deployment: Deployment }) {
  const { may } = useHere()
  const [isEditing, setEditing] = useState(false)
  const remove = useRemove(deployment)
  return (
    <>
      <Badge tone={TONES[deployment.status]}>{t(`statuses.${deployment.status}`)}</Badge>
      {may('agent:write') && <PauseButton deployment={deployment} />}
      {(may('agent:write') || may('agent:delete')) && (
        <Menu trigger={<IconButton icon={Ellipsis} label={t('actions.more')} />}>
          {may('agent:write') && (
            <MenuItem icon={Pencil} onSelect={() => setEditing(true)}>
              {t('actions.edit')}
            </MenuItem>
          )}
          {may('agent:delete') && (
            <MenuItem icon={Trash2} danger onSelect={() => void remove()}>
              {t('actions.delete')}
            </MenuItem>
          )}
        </Menu>
      )}
      {isEditing && <DetailsDialog deployment={deployment} onClose={() => setEditing(false)} />}
    </>
  )
}

const OUTDATED = ['GET /api/agent_deploy/get', 'GET /api/agent_deploy/list'] as const

function PauseButton({ deployment: { id, name, status } }: { deployment: Deployment }) {
  const notify = useNotify()
  const isActive = status === 'active'
  const change = useChange('PUT /api/agent_deploy/update', {
    outdates: OUTDATED,
    onDone: ({ status: now }) => notify(t(now === 'active' ? 'actions.resumed' : 'actions.paused', { name })),
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
      {t(isActive ? 'actions.pause' : 'actions.resume')}
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
      notify(t('actions.deleted', { name }))
      void navigate({ to: '/deployments', ignoreBlocker: true })
    },
  })
  return async () => {
    const isSure = await confirm({
      title: t('actions.deleteTitle', { name }),
      consequence: t(type === 'api' ? 'actions.deleteApi' : 'actions.deleteChat'),
      action: t('actions.delete'),
      typed: name,
    })
    if (isSure) remove.mutate({ query: { deployment_id: id } }, { onError: notify })
  }
}

function DetailsDialog({ deployment, onClose }: { deployment: Deployment; onClose: () => void }) {
  const [form, setForm] = useState({ name: deployment.name, description: deployment.description })
  const change = useChange('PUT /api/agent_deploy/update', { outdates: OUTDATED, onDone: onClose })
  const submit = () => {
    change.mutate({ query: { deployment_id: deployment.id }, body: form })
  }
  return (
    <FormDialog
      open
      onClose={onClose}
      title={t('details.title')}
      action={t('details.save')}
      busy={change.isPending}
      error={change.error}
      onSubmit={submit}
    >
      <TextField
        label={t('details.name')}
        required
        maxLength={200}
        value={form.name}
        onChange={({ target }) => setForm({ ...form, name: target.value })}
      />
      <TextAreaField
        label={t('details.description')}
        hint={t('details.descriptionHint')}
        maxLength={5_000}
        rows={3}
        value={form.description}
        onChange={({ target }) => setForm({ ...form, description: target.value })}
      />
    </FormDialog>
  )
}
