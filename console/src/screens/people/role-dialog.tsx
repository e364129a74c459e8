import type { Permission, Role } from '@parley/client/schemas'
import { Trash2 } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { PermissionMatrix } from '../../ui/permission-matrix.tsx'
import { roleName } from '../../ui/role-name.ts'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { useLevel } from './levels.ts'

const t = translator('people')

interface RoleDialogProps {
  /** The role to edit. Null to create a role. */
  role: Role | null
  permissions: Permission[]
  onClose: () => void
}

const LEVEL_DEFAULT = 20

/** Creates or edits a role. If the user may not edit the role, shows it read-only. */
export function RoleDialog({ role, permissions, onClose }: RoleDialogProps) {
  const { may } = useHere()
  const { isOwner, isBelow, level } = useLevel()
  const form = useId()
  const isOpen =
    may('roles:write') && !role?.is_system_role && (role === null || isBelow(role.hierarchy_level))
  const [draft, setDraft] = useState(() =>
    draftOf(role, isOwner ? LEVEL_DEFAULT : Math.min(LEVEL_DEFAULT, level - 1)),
  )
  const save = useSave(role, onClose)
  const removal = useRemoval(role, onClose)
  const error = save.error ?? removal.error
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.send({ ...draft, permission_ids: idsOf(draft.chosen, permissions) })
  }
  return (
    <Dialog
      wide
      open
      onClose={onClose}
      title={role === null ? t('role.new') : roleName(role.name)}
      description={isOpen ? undefined : reasonOf(role)}
      actions={
        isOpen && (
          <>
            {role && may('roles:delete') && (
              <Button
                kind="ghost"
                icon={Trash2}
                busy={removal.isPending}
                onClick={removal.remove}
                className="mr-auto"
              >
                {t('role.delete')}
              </Button>
            )}
            <Button onClick={onClose}>{t('role.cancel')}</Button>
            <Button type="submit" form={form} kind="primary" busy={save.isPending}>
              {t(role === null ? 'role.create' : 'role.save')}
            </Button>
          </>
        )
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        {isOpen && <Fields draft={draft} onDraft={setDraft} />}
        {error && <Failure error={error} />}
        <PermissionMatrix
          names={permissions.map(({ name }) => name)}
          chosen={draft.chosen}
          onChange={isOpen ? (chosen) => setDraft({ ...draft, chosen }) : undefined}
          isAllowed={(name) => may(name) || (role?.permissions.some((held) => held.name === name) ?? false)}
        />
      </form>
    </Dialog>
  )
}

interface Draft {
  name: string
  description: string
  level: number
  /** The names of the selected permissions. */
  chosen: string[]
}

function Fields({ draft, onDraft }: { draft: Draft; onDraft: (draft: Draft) => void }) {
  const { isOwner, level } = useLevel()
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-[1fr_9rem]">
        <TextField
          label={t('role.name')}
          required
          maxLength={60}
          value={draft.name}
          onChange={({ target }) => onDraft({ ...draft, name: target.value })}
        />
        <TextField
          label={t('role.level')}
          type="number"
          required
          min={0}
          max={isOwner ? 100 : level - 1}
          value={Number.isNaN(draft.level) ? '' : draft.level}
          onChange={({ target }) => onDraft({ ...draft, level: target.valueAsNumber })}
        />
      </div>
      <p className="-mt-2 text-sm text-muted">{t('role.levelHint')}</p>
      <TextField
        label={t('role.description')}
        maxLength={500}
        value={draft.description}
        onChange={({ target }) => onDraft({ ...draft, description: target.value })}
      />
    </>
  )
}

/**
 * Deletes a role after a confirmation. The server refuses to delete a role that has members; its error names them.
 */
function useRemoval(role: Role | null, onDeleted: () => void) {
  const { organization } = useHere()
  const confirm = useConfirm()
  const notify = useNotify()
  const removal = useChange('DELETE /api/roles/remove', {
    outdates: ['GET /api/roles/list_roles'],
    onDone: () => {
      notify(t('role.deleted', { name: role?.name ?? '' }))
      onDeleted()
    },
  })
  const remove = async () => {
    if (!role) return
    const isSure = await confirm({
      title: t('role.deleteTitle', { name: role.name }),
      consequence: t('role.deleteConsequence'),
      action: t('role.delete'),
    })
    if (isSure) removal.mutate({ query: { org_id: organization.id, role_id: role.id } })
  }
  return { isPending: removal.isPending, error: removal.error, remove: () => void remove() }
}

type SentRole = Omit<Draft, 'chosen'> & { permission_ids: string[] }

function useSave(role: Role | null, onDone: () => void) {
  const { organization } = useHere()
  const notify = useNotify()
  const done = ({ name }: Role) => {
    notify(t(role === null ? 'role.created' : 'role.saved', { name }))
    onDone()
  }
  const outdates = ['GET /api/roles/list_roles', 'GET /api/users/list', 'GET /api/org/list'] as const
  const create = useChange('POST /api/roles/create', { outdates, onDone: done })
  const update = useChange('PUT /api/roles/update', { outdates, onDone: done })
  const org_id = organization.id
  return {
    isPending: create.isPending || update.isPending,
    error: create.error ?? update.error,
    send: ({ level, name, description, permission_ids }: SentRole) => {
      const body = { name, description, hierarchy_level: level, permission_ids }
      if (role === null) create.mutate({ query: { org_id }, body })
      else update.mutate({ query: { org_id, role_id: role.id }, body })
    },
  }
}

const draftOf = (role: Role | null, level: number): Draft =>
  role === null
    ? { name: '', description: '', level, chosen: [] }
    : {
        name: role.name,
        description: role.description,
        level: role.hierarchy_level,
        chosen: role.permissions.map(({ name }) => name),
      }

const idsOf = (names: string[], permissions: Permission[]): string[] =>
  permissions.filter(({ name }) => names.includes(name)).map(({ id }) => id)

const reasonOf = (role: Role | null): string | undefined => {
  if (role?.is_system_role) return t('role.system')
  return t('role.readOnly')
}
