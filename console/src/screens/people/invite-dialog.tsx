import type { BulkInvitations, Role } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { AddByIdForm } from './add-by-id-form.tsx'
import { type Invited, InviteForm } from './invite-form.tsx'
import { InviteResults } from './invite-results.tsx'
import { byLevel, useLevel } from './levels.ts'

interface InviteDialogProps {
  roles: Role[]
  onClose: () => void
}

/** Invites by email; what is answered for each address is shown before the dialog closes. */
export function InviteDialog({ roles, onClose }: InviteDialogProps) {
  const { organization } = useHere()
  const { mayAssign } = useLevel()
  const features = useQuery(read('GET /api/org/features', { org_id: organization.id }))
  const [way, setWay] = useState<'email' | 'id'>('email')
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
    <Dialog open onClose={onClose} title={`Invite to ${organization.name}`}>
      <Tabs
        label="How"
        tabs={[
          ['email', 'By email'],
          ['id', 'By user ID'],
        ]}
        value={way}
        onChange={setWay}
      />
      {way === 'email' ? (
        <InviteForm draft={draft} onDraft={setDraft} roles={choices} onSent={setResults}>
          <Button onClick={onClose}>Cancel</Button>
        </InviteForm>
      ) : (
        <AddByIdForm roles={choices} isOff={features.data?.team_members === false} onDone={onClose}>
          <Button onClick={onClose}>Cancel</Button>
        </AddByIdForm>
      )}
    </Dialog>
  )
}
