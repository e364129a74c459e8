import type { User } from '@parley/client/schemas'
import { findLanguage, LANGUAGES, type Language } from '@parley/messages'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useSendsEmail } from '../../api/use-sends-email.ts'
import { translator } from '../../messages/index.ts'
import { applyLanguage } from '../../shell/account-language.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('account')

const EDITED = ['first_name', 'last_name', 'language'] as const

type Edits = Pick<User, (typeof EDITED)[number]>

export function Profile() {
  const { user } = useHere()
  return (
    <Section title={t('profile.title')}>
      <ProfileForm />
      <Email />
      <div className="flex min-w-0 items-center gap-2 border-t border-line pt-4 text-sm">
        <span className="shrink-0 text-muted">{t('profile.id')}</span>
        <code className="min-w-0 font-mono break-all">{user.id}</code>
        <CopyButton text={user.id} what={t('profile.copyId')} />
      </div>
    </Section>
  )
}

function ProfileForm() {
  const { user } = useHere()
  const notify = useNotify()
  const [edits, setEdits] = useState<Edits>({
    first_name: user.first_name,
    last_name: user.last_name,
    language: user.language,
  })
  const save = useChange('PUT /api/users/me', {
    outdates: ['GET /api/users/me'],
    onDone: ({ language }) => {
      notify(t('profile.saved'))
      applyLanguage(language)
    },
  })
  const isChanged = EDITED.some((name) => edits[name] !== user[name])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate({ body: edits })
  }
  const field = (name: 'first_name' | 'last_name') => ({
    required: true,
    maxLength: 100,
    value: edits[name],
    onChange: ({ target }: { target: { value: string } }) => setEdits({ ...edits, [name]: target.value }),
  })
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label={t('profile.firstName')} autoComplete="given-name" {...field('first_name')} />
        <TextField label={t('profile.lastName')} autoComplete="family-name" {...field('last_name')} />
        <LanguageField value={edits.language} onChange={(language) => setEdits({ ...edits, language })} />
      </div>
      {save.error && <Failure error={save.error} />}
      <div>
        <Button type="submit" kind="primary" busy={save.isPending} disabled={!isChanged}>
          {t('profile.save')}
        </Button>
      </div>
    </form>
  )
}

interface LanguageFieldProps {
  value: Language | null
  onChange: (value: Language | null) => void
}

/** Shows each language under its own name, so that users can find their language in an interface they cannot read. */
const LanguageField = ({ value, onChange }: LanguageFieldProps) => (
  <SelectField
    label={t('profile.language')}
    hint={t('profile.languageHint')}
    value={value ?? ''}
    onChange={({ target }) => onChange(findLanguage([target.value]))}
  >
    <option value="">{t('profile.browserDefault')}</option>
    {Object.entries(LANGUAGES).map(([language, name]) => (
      <option key={language} value={language} lang={language}>
        {name}
      </option>
    ))}
  </SelectField>
)

function Email() {
  const { user } = useHere()
  const sendsEmail = useSendsEmail()
  const resend = useChange('POST /api/auth/resend_verification')
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="flex min-w-0 flex-col gap-1">
          <h3 className="text-sm font-medium">{t('email.title')}</h3>
          <p className="flex flex-wrap items-center gap-2">
            <span className="min-w-0 break-all">{user.email}</span>
            {user.email_verified ? (
              <Badge tone="success">{t('email.confirmed')}</Badge>
            ) : (
              <Badge tone="warning">{t('email.unconfirmed')}</Badge>
            )}
          </p>
        </div>
        {!user.email_verified && sendsEmail && (
          <Button
            size="small"
            busy={resend.isPending}
            disabled={resend.isSuccess}
            onClick={() => resend.mutate({})}
          >
            {resend.isSuccess ? t('email.resent') : t('email.resend')}
          </Button>
        )}
      </div>
      {!user.email_verified && (
        <p role="status" className="text-sm text-muted">
          {t(!sendsEmail ? 'email.openUnsent' : resend.isSuccess ? 'email.openResent' : 'email.open')}
        </p>
      )}
      {resend.error && <Failure error={resend.error} />}
    </div>
  )
}
