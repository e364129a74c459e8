import type { ValidInvitation } from '@parley/client/schemas'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/states.tsx'
import { Invitation } from './invitation.tsx'
import { NewPasswordField } from './new-password-field.tsx'
import { demandOf, SecondFactorStep } from './second-factor-step.tsx'
import { useEnter } from './sign-in.tsx'

const t = translator('identity')

/** The page of an invitation whose link signs the user in without a password. */
export const MagicLink = () => (
  <Invitation>{(invitation, token) => <Acceptance invitation={invitation} token={token} />}</Invitation>
)

function Acceptance({ invitation, token }: { invitation: ValidInvitation; token: string }) {
  const { account, email, organization } = invitation
  const enter = useEnter(`/?org_id=${organization.id}`)
  const accept = useChange('POST /api/auth/magic_link/accept', { onDone: enter })
  const [password, setPassword] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    accept.mutate({ body: { token, ...(password !== '' && { password }), session: 'cookie' } })
  }
  const demand = demandOf(accept.error)
  if (demand) return <SecondFactorStep demand={demand} onDone={enter} onBack={accept.reset} />
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {account !== 'none' && <p className="text-sm">{t('magicLink.known')}</p>}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <NewPasswordField
        label={account === 'none' ? t('magicLink.password') : t('magicLink.newPassword')}
        hint={t('magicLink.passwordHint')}
        value={password}
        onChange={setPassword}
      />
      {accept.error && <Failure error={accept.error} />}
      <Button type="submit" kind="primary" busy={accept.isPending}>
        {t('magicLink.join')}
      </Button>
    </form>
  )
}
