import { Link } from '@tanstack/react-router'
import { MailCheck } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useSendsEmail } from '../../api/use-sends-email.ts'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { Outcome, Outside } from './outside.tsx'

const t = translator('identity')

export function ForgotPassword() {
  const request = useChange('POST /api/auth/forgot_password')
  const sendsEmail = useSendsEmail()
  const [email, setEmail] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    request.mutate({ body: { email } })
  }
  return (
    <Outside
      title={t(request.isSuccess && sendsEmail ? 'forgot.sentTitle' : 'forgot.title')}
      below={
        <Link to="/sign_in" className="reach font-medium text-accent underline">
          {t('forgot.back')}
        </Link>
      }
    >
      {request.isSuccess ? (
        <>
          <Outcome icon={MailCheck}>
            {t.rich(sendsEmail ? 'forgot.sent' : 'forgot.unsent', {
              email,
              address: (text) => <strong className="font-medium wrap-anywhere">{text}</strong>,
            })}
          </Outcome>
          {sendsEmail && <p className="text-sm text-muted">{t('forgot.notReceived')}</p>}
          <Button onClick={() => request.reset()}>{t('forgot.another')}</Button>
        </>
      ) : (
        <form onSubmit={submit} className="flex flex-col gap-4">
          <p className="text-sm text-muted">{t('forgot.hint')}</p>
          <TextField
            label={t('email')}
            type="email"
            autoComplete="username"
            maxLength={254}
            required
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
          {request.error && <Failure error={request.error} />}
          <Button type="submit" kind="primary" busy={request.isPending}>
            {t('forgot.send')}
          </Button>
        </form>
      )}
    </Outside>
  )
}
