import { ParleyError } from '@parley/client'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'

const EMPTY = { current_password: '', password: '' }

export function Password() {
  const { user } = useHere()
  const notify = useNotify()
  const [words, setWords] = useState(EMPTY)
  const change = useChange('PUT /api/users/me', {
    outdates: ['GET /api/auth/sessions'],
    onDone: () => {
      setWords(EMPTY)
      notify('Your password is changed. Everywhere else you are signed out.')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate({ body: words })
  }
  const field = (name: keyof typeof words) => ({
    type: 'password',
    required: true,
    maxLength: 128,
    value: words[name],
    onChange: ({ target }: { target: { value: string } }) => setWords({ ...words, [name]: target.value }),
  })
  const isWrong = isWrongPassword(change.error)
  return (
    <Section
      title="Password"
      description={
        <>
          A new one signs you out everywhere else. You have none, or forgot it?{' '}
          <Link to="/forgot_password" className="text-accent underline">
            Have a link sent
          </Link>
          .
        </>
      }
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <input type="email" autoComplete="username" value={user.email} readOnly hidden />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Current password"
            autoComplete="current-password"
            error={isWrong ? 'This is not your password' : null}
            {...field('current_password')}
          />
          <TextField
            label="New password"
            autoComplete="new-password"
            hint="At least 8 characters"
            minLength={8}
            {...field('password')}
          />
        </div>
        {change.error && !isWrong && <Failure error={change.error} />}
        <div>
          <Button type="submit" busy={change.isPending}>
            Change the password
          </Button>
        </div>
      </form>
    </Section>
  )
}

export const isWrongPassword = (error: Error | null): boolean =>
  error instanceof ParleyError && error.code === 'user.wrong_password'
