import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { queryClient, useChange } from '../../api/queries.ts'
import { session } from '../../api/session.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Section } from '../../ui/page.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { isWrongPassword } from './password.tsx'

export function DeleteAccount() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Section
      title="Delete your account"
      description="With all that is yours, in all organizations. This can’t be undone."
      actions={<Button onClick={() => setOpen(true)}>Delete your account</Button>}
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
      notify('Your account is deleted')
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
      title="Delete your account?"
      description="It is gone at once, and does not come back."
      action="Delete for good"
      danger
      busy={remove.isPending}
      disabled={typed !== user.email}
      error={isWrong ? null : remove.error}
      onSubmit={submit}
    >
      <Consequences />
      <TextField
        label={`Type “${user.email}” to go on`}
        value={typed}
        autoComplete="off"
        onChange={({ target }) => setTyped(target.value)}
      />
      <TextField
        label="Your password"
        hint="If you have none, leave it empty: you must have signed in within the last ten minutes."
        type="password"
        autoComplete="current-password"
        maxLength={128}
        error={isWrong ? 'This is not your password' : null}
        value={password}
        onChange={({ target }) => setPassword(target.value)}
      />
    </FormDialog>
  )
}

/** Explains the effects of a deletion (docs/deletion.md). */
const Consequences = () => (
  <ul className="flex list-disc flex-col gap-1.5 pl-5 text-sm">
    <li>Your chats, conversations, files, instructions, connections and API keys go, everywhere.</li>
    <li>Organizations in which there is nobody but you go with all that they hold.</li>
    <li>
      Agents, tools, knowledge bases and deployments that you made for other organizations stay theirs; what
      you did there stays in their audit, without your addresses.
    </li>
    <li>Where you are the only owner and there are others, hand the organization over first.</li>
  </ul>
)
