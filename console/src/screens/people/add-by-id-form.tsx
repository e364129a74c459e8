import { type FormEvent, type ReactNode, useState } from 'react'
import type { Role } from '../../api/operations.ts'
import { useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { defaultRole, RoleField } from './invite-form.tsx'

interface AddByIdFormProps {
  roles: Role[]
  /** The organization may not do this. */
  isOff: boolean
  onDone: () => void
  children: ReactNode
}

/** Somebody who has an account already is made a member at once. */
export function AddByIdForm({ roles, isOff, onDone, children }: AddByIdFormProps) {
  const { organization } = useHere()
  const notify = useNotify()
  const [person, setPerson] = useState({ user_id: '', role_id: defaultRole(roles) })
  const add = useChange('POST /api/org/add_member', {
    outdates: ['GET /api/users/list', 'GET /api/org/features', 'GET /api/roles/list_roles'],
    onDone: () => {
      notify('Added')
      onDone()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate({ body: { organization_id: organization.id, ...person, user_id: person.user_id.trim() } })
  }
  if (isOff)
    return (
      <p className="text-sm text-muted">
        Adding people who have an account is switched off for this organization. The administrator of the
        installation can switch on “team members”.
      </p>
    )
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-sm text-muted">
        Who has an account here is added at once, without an invitation. Everybody finds the own user ID in
        the account’s settings.
      </p>
      <TextField
        label="User ID"
        required
        autoComplete="off"
        placeholder="0195f3c4-8a5e-7cc3-9e0f-3a7d1c2b4e60"
        value={person.user_id}
        onChange={({ target }) => setPerson({ ...person, user_id: target.value })}
        className="font-mono"
      />
      <RoleField
        roles={roles}
        value={person.role_id}
        onChange={(role_id) => setPerson({ ...person, role_id })}
      />
      {add.error && <Failure error={add.error} />}
      <div className="flex flex-wrap justify-end gap-2">
        {children}
        <Button type="submit" kind="primary" busy={add.isPending}>
          Add
        </Button>
      </div>
    </form>
  )
}
