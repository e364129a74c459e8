import type { Role } from '@parley/client/schemas'
import { type FormEvent, type ReactNode, useState } from 'react'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { defaultRole, RoleField } from './invite-form.tsx'

const t = translator('people')

interface AddByIdFormProps {
  roles: Role[]
  /** Whether the organization forbids adding users without an invitation. */
  isOff: boolean
  onDone: () => void
  children: ReactNode
}

/**
 * Adds an existing user by id. If the user shares another organization with the current user, an email address works,
 * too.
 */
export function AddByIdForm({ roles, isOff, onDone, children }: AddByIdFormProps) {
  const { organization } = useHere()
  const notify = useNotify()
  const [searchError, setSearchError] = useState<Error>()
  const [person, setPerson] = useState({ user_id: '', role_id: defaultRole(roles) })
  const add = useChange('POST /api/org/add_member', {
    outdates: ['GET /api/users/list', 'GET /api/org/features', 'GET /api/roles/list_roles'],
    onDone: () => {
      notify(t('addById.added'))
      onDone()
    },
  })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setSearchError(undefined)
    const typed = person.user_id.trim()
    try {
      const user_id = typed.includes('@') ? await findId(organization.id, typed) : typed
      add.mutate({ body: { organization_id: organization.id, ...person, user_id } })
    } catch (error) {
      setSearchError(error as Error)
    }
  }
  if (isOff) return <p className="text-sm text-muted">{t('addById.off')}</p>
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <p className="text-sm text-muted">{t('addById.description')}</p>
      <TextField
        label={t('addById.user')}
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
      {(searchError ?? add.error) && <Failure error={(searchError ?? add.error) as Error} />}
      <div className="flex flex-wrap justify-end gap-2">
        {children}
        <Button type="submit" kind="primary" busy={add.isPending}>
          {t('addById.add')}
        </Button>
      </div>
    </form>
  )
}

const findId = async (org_id: string, email: string): Promise<string> =>
  (await api.request('GET /api/users/find', { query: { org_id, email } })).id
