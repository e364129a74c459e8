import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Failure } from '../../ui/states.tsx'
import { NoToken, useMailedToken } from './mailed-token.tsx'
import { NewPasswordField } from './new-password-field.tsx'
import { Outcome, Outside } from './outside.tsx'

const t = translator('identity')

export function ResetPassword() {
  const token = useMailedToken()
  const reset = useChange('POST /api/auth/reset_password')
  const [password, setPassword] = useState('')
  if (token === undefined) return <NoToken />
  if (reset.isSuccess) return <PasswordIsSet />
  const submit = (event: FormEvent) => {
    event.preventDefault()
    reset.mutate({ body: { token, password } })
  }
  return (
    <Outside title={t('reset.title')} below={<AnotherLink />}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <NewPasswordField label={t('reset.password')} required value={password} onChange={setPassword} />
        <p className="text-sm text-muted">{t('reset.consequence')}</p>
        {reset.error && <Failure error={reset.error} />}
        <Button type="submit" kind="primary" busy={reset.isPending}>
          {t('reset.submit')}
        </Button>
      </form>
    </Outside>
  )
}

const PasswordIsSet = () => (
  <Outside title={t('reset.doneTitle')}>
    <Outcome icon={CircleCheck}>{t('reset.done')}</Outcome>
    <Link to="/sign_in" className={buttonLook('primary')}>
      {t('signIn.submit')}
    </Link>
  </Outside>
)

const AnotherLink = () => (
  <Link to="/forgot_password" className="reach font-medium text-accent underline">
    {t('reset.another')}
  </Link>
)
