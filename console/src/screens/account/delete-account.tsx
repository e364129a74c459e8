import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { queryClient, useChange } from '../../api/queries.ts'
import { session } from '../../api/session.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Section } from '../../ui/page.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { isWrongPassword } from './password.tsx'

const t = translator('account')

export function DeleteAccount() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Section
      title={t('delete.title')}
      description={t('delete.description')}
      actions={<Button onClick={() => setOpen(true)}>{t('delete.action')}</Button>}
    >
      {isOpen && <Deletion onClose={() => setOpen(false)} />}
    </Section>
  )
}

function Deletion({ onClose }: { onClose: () => void }) {
  const { user } = useHere()
  const navigate = useNavigate()
  const notify = useNotify()
  const [typed, setTyped] = useState('')
  const [password, setPassword] = useState('')
  const remove = useChange('DELETE /api/users/me', {
    onDone: () => {
      notify(t('delete.done'))
      session.signOut()
      queryClient.clear()
      void navigate({ to: '/sign_in' })
    },
  })
  const submit = () => {
    remove.mutate({ body: password === '' ? {} : { current_password: password } })
  }
  const isWrong = isWrongPassword(remove.error)
  return (
    <FormDialog
      open
      onClose={onClose}
      title={t('delete.question')}
      description={t('delete.consequence')}
      action={t('delete.action')}
      danger
      busy={remove.isPending}
      disabled={typed !== user.email}
      error={isWrong ? null : remove.error}
      onSubmit={submit}
    >
      <Consequences />
      <TextField
        label={t('delete.type', { email: user.email })}
        value={typed}
        autoComplete="off"
        onChange={({ target }) => setTyped(target.value)}
      />
      <TextField
        label={t('delete.password')}
        hint={t('delete.passwordHint')}
        type="password"
        autoComplete="current-password"
        maxLength={128}
        error={isWrong ? t('password.wrong') : null}
        value={password}
        onChange={({ target }) => setPassword(target.value)}
      />
    </FormDialog>
  )
}

/** Explains what happens to the user's data after deletion (docs/deletion.md). */
const Consequences = () => (
  <ul className="flex list-disc flex-col gap-1.5 pl-5 text-sm">
    <li>{t('delete.own')}</li>
    <li>{t('delete.alone')}</li>
    <li>{t('delete.shared')}</li>
    <li>{t('delete.onlyOwner')}</li>
  </ul>
)
