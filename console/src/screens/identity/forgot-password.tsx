import { Link } from '@tanstack/react-router'
import { MailCheck } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { Outcome, Outside } from './outside.tsx'

export function ForgotPassword() {
  const request = useChange('POST /api/auth/forgot_password')
  const [email, setEmail] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    request.mutate({ body: { email } })
  }
  return (
    <Outside
      title={request.isSuccess ? 'Look into your mail' : 'Forgotten your password?'}
      below={
        <Link to="/sign_in" className="font-medium text-accent underline">
          Back to sign in
        </Link>
      }
    >
      {request.isSuccess ? (
        <>
          <Outcome icon={MailCheck}>
            If <strong className="font-medium break-all">{email}</strong> has an account, a mail is on its
            way. Its link is good for one hour.
          </Outcome>
          <p className="text-sm text-muted">
            Nothing there after a few minutes? Look into the spam folder, or check the address.
          </p>
          <Button onClick={() => request.reset()}>Try another address</Button>
        </>
      ) : (
        <form onSubmit={submit} className="flex flex-col gap-4">
          <p className="text-sm text-muted">We send you a link with which you choose a new one.</p>
          <TextField
            label="Email"
            type="email"
            autoComplete="username"
            maxLength={254}
            required
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
          {request.error && <Failure error={request.error} />}
          <Button type="submit" kind="primary" busy={request.isPending}>
            Send the link
          </Button>
        </form>
      )}
    </Outside>
  )
}
