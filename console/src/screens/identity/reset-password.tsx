import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Failure } from '../../ui/states.tsx'
import { NoToken, useMailedToken } from './mailed-token.tsx'
import { NewPasswordField } from './new-password-field.tsx'
import { Outcome, Outside } from './outside.tsx'

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
    <Outside title="Choose a new password" below={<AnotherLink />}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <NewPasswordField label="New password" required value={password} onChange={setPassword} />
        <p className="text-sm text-muted">You are signed out everywhere, and your API keys are deleted.</p>
        {reset.error && <Failure error={reset.error} />}
        <Button type="submit" kind="primary" busy={reset.isPending}>
          Set the password
        </Button>
      </form>
    </Outside>
  )
}

const PasswordIsSet = () => (
  <Outside title="Your password is changed">
    <Outcome icon={CircleCheck}>Sign in with it. Everywhere else you are signed out.</Outcome>
    <Link to="/sign_in" className={buttonLook('primary')}>
      Sign in
    </Link>
  </Outside>
)

const AnotherLink = () => (
  <Link to="/forgot_password" className="font-medium text-accent underline">
    Have another link sent
  </Link>
)
