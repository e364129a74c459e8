import type { BulkInvitations, Role } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { AddPersonForm } from './add-person-form.tsx'
import { type Invited, InviteForm } from './invite-form.tsx'
import { InviteResults } from './invite-results.tsx'
import { byLevel, useLevel } from './levels.ts'

const t = translator('people')

interface InviteDialogProps {
  roles: Role[]
  onClose: () => void
}

/** Invites users by email and shows the result for each address. Another tab adds a person who has an account. */
export function InviteDialog({ roles, onClose }: InviteDialogProps) {
  const { organization } = useHere()
  const { mayAssign } = useLevel()
  const features = useQuery(read('GET /api/org/features', { org_id: organization.id }))
  const [way, setWay] = useState<'email' | 'account'>('email')
  const [results, setResults] = useState<BulkInvitations['data']>()
  const [draft, setDraft] = useState<Invited>({ text: '', role_id: '', message: '' })
  const choices = roles.filter(mayAssign).sort(byLevel)
  if (results)
    return (
      <InviteResults
        results={results}
        onClose={onClose}
        onBack={(failed) => {
          setDraft({ ...draft, text: failed.join('\n') })
          setResults(undefined)
        }}
      />
    )
  return (
    <Dialog open onClose={onClose} title={t('invite.title', { organization: organization.name })}>
      <Tabs
        label={t('invite.method')}
        tabs={[
          ['email', t('invite.byEmail')],
          ['account', t('invite.byAccount')],
        ]}
        value={way}
        onChange={setWay}
      />
      {way === 'email' ? (
        <InviteForm draft={draft} onDraft={setDraft} roles={choices} onSent={setResults}>
          <Button onClick={onClose}>{t('invite.cancel')}</Button>
        </InviteForm>
      ) : (
        <AddPersonForm roles={choices} isOff={features.data?.team_members === false} onDone={onClose}>
          <Button onClick={onClose}>{t('invite.cancel')}</Button>
        </AddPersonForm>
      )}
    </Dialog>
  )
}
