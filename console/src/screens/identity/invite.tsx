import type { ValidInvitation } from '@parley/client/schemas'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { Invitation } from './invitation.tsx'
import { NewPasswordField } from './new-password-field.tsx'
import { demandOf, SecondFactorStep } from './second-factor-step.tsx'
import { useEnter } from './sign-in.tsx'

const t = translator('identity')

/**
 * The page of an invitation sent by email. Accepting it creates an account, or uses the existing account of the
 * address.
 */
export const Invite = () => (
  <Invitation>
    {(invitation, token) =>
      invitation.account === 'none' ? (
        <NewAccount invitation={invitation} token={token} />
      ) : (
        <KnownAccount invitation={invitation} token={token} />
      )
    }
  </Invitation>
)

interface FormProps {
  invitation: ValidInvitation
  token: string
}

const useJoin = ({ organization }: ValidInvitation) =>
  useChange('POST /api/auth/signup_invite', { onDone: useEnter(`/?org_id=${organization.id}`) })

function NewAccount({ invitation, token }: FormProps) {
  const join = useJoin(invitation)
  const [person, setPerson] = useState({ first_name: '', last_name: '', password: '' })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    join.mutate({ body: { token, ...person, session: 'cookie' } })
  }
  const name = (key: 'first_name' | 'last_name') => ({
    required: true,
    maxLength: 100,
    value: person[key],
    onChange: ({ target }: { target: { value: string } }) => setPerson({ ...person, [key]: target.value }),
  })
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <div className="grid grid-cols-2 gap-3">
        <TextField label={t('firstName')} autoComplete="given-name" {...name('first_name')} />
        <TextField label={t('lastName')} autoComplete="family-name" {...name('last_name')} />
      </div>
      {/* With this field, password managers save the password together with the email address. */}
      <input type="email" autoComplete="username" value={invitation.email} readOnly hidden />
      <NewPasswordField
        label={t('password')}
        required
        value={person.password}
        onChange={(password) => setPerson({ ...person, password })}
      />
      {join.error && <Failure error={join.error} />}
      <Button type="submit" kind="primary" busy={join.isPending}>
        {t('invite.createAndJoin')}
      </Button>
    </form>
  )
}

/**
 * Accepts the invitation with an existing account. The password proves that the user owns the account. The server
 * ignores the names in the request.
 */
function KnownAccount({ invitation, token }: FormProps) {
  const join = useJoin(invitation)
  const enter = useEnter(`/?org_id=${invitation.organization.id}`)
  const [password, setPassword] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    join.mutate({ body: { token, password, first_name: '-', last_name: '-', session: 'cookie' } })
  }
  const demand = demandOf(join.error)
  if (demand) return <SecondFactorStep demand={demand} onDone={enter} onBack={join.reset} />
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-sm">{t('invite.known')}</p>
      <input type="email" autoComplete="username" value={invitation.email} readOnly hidden />
      <div className="flex flex-col gap-1.5">
        <TextField
          label={t('password')}
          type="password"
          autoComplete="current-password"
          minLength={8}
          maxLength={128}
          required
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
        <Link to="/forgot_password" className="reach self-end text-sm text-accent underline">
          {t('signIn.forgot')}
        </Link>
      </div>
      {join.error && <Failure error={join.error} />}
      <Button type="submit" kind="primary" busy={join.isPending}>
        {t('invite.join')}
      </Button>
    </form>
  )
}
