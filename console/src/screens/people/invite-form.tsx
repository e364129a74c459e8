import type { BulkInvitations, Role } from '@parley/client/schemas'
import type { FormEvent, ReactNode } from 'react'
import { useChange } from '../../api/queries.ts'
import { useSendsEmail } from '../../api/use-sends-email.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextAreaField } from '../../ui/field.tsx'
import { formatList } from '../../ui/format.ts'
import { roleName } from '../../ui/role-name.ts'
import { Failure } from '../../ui/states.tsx'
import { addressesIn } from './addresses.ts'
import { roleDescription } from './role-text.ts'

const t = translator('people')

/** Maximum number of addresses per request, as in the API. */
const ADDRESSES_MAX = 100

const OTHERS_SHOWN_MAX = 3

export interface Invited {
  text: string
  role_id: string
  message: string
}

interface InviteFormProps {
  draft: Invited
  onDraft: (draft: Invited) => void
  roles: Role[]
  onSent: (results: BulkInvitations['data']) => void
  /** A button that is shown next to the submit button. */
  children: ReactNode
}

export function InviteForm({ draft, onDraft, roles, onSent, children }: InviteFormProps) {
  const { organization } = useHere()
  const invite = useChange('POST /api/invitations/bulk_create', {
    outdates: ['GET /api/users/list', 'GET /api/org/features'],
    onDone: ({ data }) => onSent(data),
  })
  const sendsEmail = useSendsEmail()
  const { addresses, others } = addressesIn(draft.text)
  const role_id = draft.role_id || defaultRole(roles)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    invite.mutate({
      query: { org_id: organization.id },
      body: {
        invitations: addresses.map((email) => ({ email, role_id })),
        ...(draft.message.trim() !== '' && { message: draft.message.trim() }),
      },
    })
  }
  const isTooMany = addresses.length > ADDRESSES_MAX
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextAreaField
        label={t('invite.emails')}
        hint={t('invite.emailsHint')}
        error={problemOf(others, isTooMany)}
        required
        rows={3}
        value={draft.text}
        onChange={({ target }) => onDraft({ ...draft, text: target.value })}
      />
      <RoleField roles={roles} value={role_id} onChange={(id) => onDraft({ ...draft, role_id: id })} />
      <TextAreaField
        label={t('invite.message')}
        hint={t(sendsEmail ? 'invite.messageHint' : 'invite.messageHintUnsent')}
        rows={2}
        maxLength={1000}
        value={draft.message}
        onChange={({ target }) => onDraft({ ...draft, message: target.value })}
      />
      {invite.error && <Failure error={invite.error} />}
      <div className="flex flex-wrap justify-end gap-2">
        {children}
        <Button
          type="submit"
          kind="primary"
          busy={invite.isPending}
          disabled={addresses.length === 0 || others.length > 0 || isTooMany}
        >
          {t(sendsEmail ? 'invite.send' : 'invite.create', { count: Math.max(1, addresses.length) })}
        </Button>
      </div>
    </form>
  )
}

export function RoleField({
  roles,
  value,
  onChange,
}: {
  roles: Role[]
  value: string
  onChange: (id: string) => void
}) {
  const chosen = roles.find(({ id }) => id === value)
  return (
    <SelectField
      label={t('invite.role')}
      hint={(chosen && roleDescription(chosen)) || undefined}
      required
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {roles.map(({ id, name }) => (
        <option key={id} value={id}>
          {roleName(name)}
        </option>
      ))}
    </SelectField>
  )
}

export const defaultRole = (roles: Role[]): string =>
  (roles.find(({ is_system_role, name }) => is_system_role && name === 'member') ?? roles.at(-1))?.id ?? ''

function problemOf(others: string[], isTooMany: boolean): string | null {
  if (others.length > 0)
    return t('invite.notEmails', {
      count: others.length,
      addresses: formatList(others.slice(0, OTHERS_SHOWN_MAX)),
    })
  return isTooMany ? t('invite.tooMany', { limit: ADDRESSES_MAX }) : null
}
