import { ParleyError } from '@parley/client'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('account')

const EMPTY = { current_password: '', password: '' }

export function Password() {
  const { user } = useHere()
  const notify = useNotify()
  const [values, setValues] = useState(EMPTY)
  const change = useChange('PUT /api/users/me', {
    outdates: ['GET /api/auth/sessions'],
    onDone: () => {
      setValues(EMPTY)
      notify(t('password.changed'))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate({ body: values })
  }
  const field = (name: keyof typeof values) => ({
    type: 'password',
    required: true,
    maxLength: 128,
    value: values[name],
    onChange: ({ target }: { target: { value: string } }) => setValues({ ...values, [name]: target.value }),
  })
  const isWrong = isWrongPassword(change.error)
  return (
    <Section
      title={t('password.title')}
      description={t.rich('password.description', {
        link: (text) => (
          <Link to="/forgot_password" className="text-accent underline">
            {text}
          </Link>
        ),
      })}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <input type="email" autoComplete="username" value={user.email} readOnly hidden />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={t('password.current')}
            autoComplete="current-password"
            error={isWrong ? t('password.wrong') : null}
            {...field('current_password')}
          />
          <TextField
            label={t('password.new')}
            autoComplete="new-password"
            hint={t('password.newHint')}
            minLength={8}
            {...field('password')}
          />
        </div>
        {change.error && !isWrong && <Failure error={change.error} />}
        <div>
          <Button type="submit" busy={change.isPending}>
            {t('password.change')}
          </Button>
        </div>
      </form>
    </Section>
  )
}

export const isWrongPassword = (error: Error | null): boolean =>
  error instanceof ParleyError && error.code === 'user.wrong_password'
