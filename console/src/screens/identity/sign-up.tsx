import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { MailQuestionMark } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { read, useChange } from '../../api/queries.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { NewPasswordField } from './new-password-field.tsx'
import { Outcome, Outside } from './outside.tsx'
import { useEnter } from './sign-in.tsx'

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
      title="Make an account"
      below={
        <>
          You have one?{' '}
          <Link to="/sign_in" search={{ next }} className="font-medium text-accent underline">
            Sign in
          </Link>
        </>
      }
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <div className="grid grid-cols-2 gap-3">
          <TextField label="First name" autoComplete="given-name" maxLength={100} {...field('first_name')} />
          <TextField label="Last name" autoComplete="family-name" maxLength={100} {...field('last_name')} />
        </div>
        <TextField label="Email" type="email" autoComplete="username" maxLength={254} {...field('email')} />
        <NewPasswordField
          label="Password"
          required
          value={person.password}
          onChange={(password) => setPerson({ ...person, password })}
        />
        {signUp.error && <Failure error={signUp.error} />}
        <Button type="submit" kind="primary" busy={signUp.isPending}>
          Make the account
        </Button>
      </form>
    </Outside>
  )
}

const ByInvitation = () => (
  <Outside title="Sign-up is by invitation">
    <Outcome icon={MailQuestionMark}>
      Ask somebody who works here to invite you. The mail that you get has a link that brings you in.
    </Outcome>
    <Link to="/sign_in" className={buttonLook()}>
      Sign in
    </Link>
  </Outside>
)
