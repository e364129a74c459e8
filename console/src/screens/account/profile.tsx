import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'

export function Profile() {
  const { user } = useHere()
  const notify = useNotify()
  const save = useChange('PUT /api/users/me', {
    outdates: ['GET /api/users/me'],
    onDone: () => notify('Saved'),
  })
  const [names, setNames] = useState({ first_name: user.first_name, last_name: user.last_name })
  const isChanged = names.first_name !== user.first_name || names.last_name !== user.last_name
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate({ body: names })
  }
  const field = (name: keyof typeof names) => ({
    required: true,
    maxLength: 100,
    value: names[name],
    onChange: ({ target }: { target: { value: string } }) => setNames({ ...names, [name]: target.value }),
  })
  return (
    <Section title="Profile">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="First name" autoComplete="given-name" {...field('first_name')} />
          <TextField label="Last name" autoComplete="family-name" {...field('last_name')} />
        </div>
        {save.error && <Failure error={save.error} />}
        <div>
          <Button type="submit" kind="primary" busy={save.isPending} disabled={!isChanged}>
            Save
          </Button>
        </div>
      </form>
      <Email />
    </Section>
  )
}

function Email() {
  const { user } = useHere()
  const resend = useChange('POST /api/auth/resend_verification')
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="flex min-w-0 flex-col gap-1">
          <h3 className="text-sm font-medium">Email</h3>
          <p className="flex flex-wrap items-center gap-2">
            <span className="min-w-0 break-all">{user.email}</span>
            {user.email_verified ? (
              <Badge tone="success">Confirmed</Badge>
            ) : (
              <Badge tone="warning">Not confirmed</Badge>
            )}
          </p>
        </div>
        {!user.email_verified && (
          <Button
            size="small"
            busy={resend.isPending}
            disabled={resend.isSuccess}
            onClick={() => resend.mutate({})}
          >
            {resend.isSuccess ? 'Mail sent' : 'Send the mail again'}
          </Button>
        )}
      </div>
      {!user.email_verified && (
        <p role="status" className="text-sm text-muted">
          {resend.isSuccess
            ? 'Open the link in the mail. Nothing there after a few minutes? Look into the spam folder.'
            : 'Open the link in the mail that you got when you signed up. It shows that the address is yours.'}
        </p>
      )}
      {resend.error && <Failure error={resend.error} />}
    </div>
  )
}
