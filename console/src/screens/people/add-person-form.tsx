import type { FoundUser, Role } from '@parley/client/schemas'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { read, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { defaultRole, RoleField } from './invite-form.tsx'

const t = translator('people')

interface AddPersonFormProps {
  roles: Role[]
  /** Whether the organization forbids adding users without an invitation. */
  isOff: boolean
  onDone: () => void
  children: ReactNode
}

/**
 * Adds a person who has an account. Finds people who share another organization with the current user. Anyone else is
 * added by the user ID that they give to the current user.
 */
export function AddPersonForm({ roles, isOff, onDone, children }: AddPersonFormProps) {
  const { organization } = useHere()
  const notify = useNotify()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState('')
  const [role_id, setRole] = useState(defaultRole(roles))
  const add = useChange('POST /api/org/add_member', {
    outdates: [
      'GET /api/users/list',
      'GET /api/users/search',
      'GET /api/org/features',
      'GET /api/roles/list_roles',
    ],
    onDone: () => {
      notify(t('addPerson.added'))
      onDone()
    },
  })
  const user_id = USER_ID.test(text) ? text.toLowerCase() : chosen
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate({ body: { organization_id: organization.id, user_id, role_id } })
  }
  if (isOff) return <p className="text-sm text-muted">{t('addPerson.off')}</p>
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-sm text-muted">{t('addPerson.description')}</p>
      <SearchField
        label={t('addPerson.search')}
        placeholder={t('addPerson.searchHint')}
        value={text}
        onChange={(typed) => {
          setText(typed)
          setChosen('')
        }}
      />
      {text !== '' && !USER_ID.test(text) && <Found text={text} chosen={chosen} onChoose={setChosen} />}
      <RoleField roles={roles} value={role_id} onChange={setRole} />
      {add.error && <Failure error={add.error} />}
      <div className="flex flex-wrap justify-end gap-2">
        {children}
        <Button type="submit" kind="primary" busy={add.isPending} disabled={user_id === ''}>
          {t('addPerson.add')}
        </Button>
      </div>
    </form>
  )
}

const USER_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

const SHOWN_MAX = 10

interface FoundProps {
  text: string
  chosen: string
  onChoose: (id: string) => void
}

function Found({ text, chosen, onChoose }: FoundProps) {
  const { organization } = useHere()
  const found = useQuery({
    ...read('GET /api/users/search', { org_id: organization.id, q: text, limit: SHOWN_MAX }),
    placeholderData: keepPreviousData,
  })
  if (found.error) return <Failure error={found.error} />
  if (found.data?.data.length === 0) return <p className="text-sm text-muted">{t('addPerson.nobody')}</p>
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="sr-only">{t('addPerson.found')}</legend>
      {found.data?.data.map((person) => (
        <PersonChoice
          key={person.id}
          person={person}
          isChosen={person.id === chosen}
          onChoose={() => onChoose(person.id)}
        />
      ))}
    </fieldset>
  )
}

interface PersonChoiceProps {
  person: FoundUser
  isChosen: boolean
  onChoose: () => void
}

const PersonChoice = ({ person: { full_name, email }, isChosen, onChoose }: PersonChoiceProps) => (
  <label className="flex min-h-10 cursor-pointer items-center gap-3 rounded-xl border border-line px-3 py-1.5 hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft">
    <input
      type="radio"
      name="person"
      checked={isChosen}
      onChange={onChoose}
      className="size-4 shrink-0 accent-accent"
    />
    <span className="flex min-w-0 flex-col text-sm">
      <span className="font-medium wrap-anywhere">{full_name || email}</span>
      {full_name && <span className="wrap-anywhere text-muted">{email}</span>}
    </span>
  </label>
)
