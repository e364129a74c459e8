import type { Permission } from '@parley/client/schemas'
import { Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { isBuiltIn } from '../../ui/permission-matrix.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('people')

const OUTDATES = ['GET /api/roles/list_permissions', 'GET /api/roles/list_roles'] as const

/**
 * Adds and removes custom permissions. Parley itself does not check custom permissions. For system administrators.
 */
export function PermissionsDialog({
  permissions,
  onClose,
}: {
  permissions: Permission[]
  onClose: () => void
}) {
  const added = permissions.filter(({ name }) => !isBuiltIn(name))
  return (
    <Dialog open onClose={onClose} title={t('permissions.title')} description={t('permissions.description')}>
      <NewPermission />
      {added.length === 0 ? (
        <p className="text-sm text-muted">{t('permissions.empty')}</p>
      ) : (
        <ul aria-label={t('permissions.list')} className="flex flex-col divide-y divide-line">
          {added.map((permission) => (
            <AddedPermission key={permission.id} permission={permission} />
          ))}
        </ul>
      )}
    </Dialog>
  )
}

function NewPermission() {
  const [draft, setDraft] = useState({ name: '', description: '' })
  const add = useChange('POST /api/roles/permission', {
    outdates: OUTDATES,
    onDone: () => setDraft({ name: '', description: '' }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate({ body: draft })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label={t('permissions.name')}
        hint={t('permissions.nameHint')}
        placeholder="report:read"
        required
        maxLength={100}
        pattern="(\*|[a-z][a-z0-9_]*):(\*|[a-z][a-z0-9_]*)"
        title={t('permissions.nameFormat')}
        value={draft.name}
        onChange={({ target }) => setDraft({ ...draft, name: target.value })}
      />
      <TextField
        label={t('permissions.permissionDescription')}
        maxLength={500}
        value={draft.description}
        onChange={({ target }) => setDraft({ ...draft, description: target.value })}
      />
      {add.error && <Failure error={add.error} />}
      <Button type="submit" kind="primary" busy={add.isPending} className="self-end">
        {t('permissions.add')}
      </Button>
    </form>
  )
}

function AddedPermission({ permission: { id, name, description } }: { permission: Permission }) {
  const confirm = useConfirm()
  const notify = useNotify()
  const removal = useChange('DELETE /api/roles/permission', { outdates: OUTDATES })
  const remove = async () => {
    const isSure = await confirm({
      title: t('permissions.removeTitle', { name }),
      consequence: t('permissions.removeConsequence'),
      action: t('permissions.removeAction'),
    })
    if (isSure) removal.mutate({ query: { permission_id: id } }, { onError: notify })
  }
  return (
    <li className="flex items-center justify-between gap-3 py-2">
      <span className="flex min-w-0 flex-col text-sm">
        <code className="font-mono break-all">{name}</code>
        <span className="text-muted">{description}</span>
      </span>
      <IconButton
        small
        icon={Trash2}
        label={t('permissions.remove', { name })}
        disabled={removal.isPending}
        onClick={() => void remove()}
      />
    </li>
  )
}
