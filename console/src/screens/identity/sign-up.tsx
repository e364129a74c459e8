import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { MailQuestionMark } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { read, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { NewPasswordField } from './new-password-field.tsx'
import { Outcome, Outside } from './outside.tsx'
import { useEnter } from './sign-in.tsx'

const t = translator('identity')

export function SignUp() {
  const { next } = useSearch({ from: '/sign_up' })
  const methods = useQuery(read('GET /api/auth/methods', {}))
  const signUp = useChange('POST /api/auth/signup', { onDone: useEnter(next) })
  const [person, setPerson] = useState({ first_name: '', last_name: '', email: '', password: '' })
  const field = (name: keyof typeof person) => ({
    required: true,
    value: person[name],
    onChange: ({ target }: { target: { value: string } }) => setPerson({ ...person, [name]: target.value }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    signUp.mutate({ body: { ...person, session: 'cookie' } })
  }
  if (methods.data?.signup === 'invite') return <ByInvitation />
  return (
    <Outside
      title={t('signUp.title')}
      below={
        <>
          {t('signUp.known')}{' '}
          <Link to="/sign_in" search={{ next }} className="font-medium text-accent underline">
            {t('signIn.submit')}
          </Link>
        </>
      }
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label={t('firstName')}
            autoComplete="given-name"
            maxLength={100}
            {...field('first_name')}
          />
          <TextField
            label={t('lastName')}
            autoComplete="family-name"
            maxLength={100}
            {...field('last_name')}
          />
        </div>
        <TextField
          label={t('email')}
          type="email"
          autoComplete="username"
          maxLength={254}
          {...field('email')}
        />
        <NewPasswordField
          label={t('password')}
          required
          value={person.password}
          onChange={(password) => setPerson({ ...person, password })}
        />
        {signUp.error && <Failure error={signUp.error} />}
        <Button type="submit" kind="primary" busy={signUp.isPending}>
          {t('signUp.submit')}
        </Button>
      </form>
    </Outside>
  )
}

const ByInvitation = () => (
  <Outside title={t('signUp.byInvitationTitle')}>
    <Outcome icon={MailQuestionMark}>{t('signUp.byInvitation')}</Outcome>
    <Link to="/sign_in" className={buttonLook()}>
      {t('signIn.submit')}
    </Link>
  </Outside>
)
