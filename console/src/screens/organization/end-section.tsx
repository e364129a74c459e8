import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { Section } from '../../ui/page.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { useLevel } from '../people/levels.ts'
import { useMemberNames } from '../people/member-names.ts'
import { useTransfer } from '../people/use-transfer.ts'

/** Handing it over, leaving it, deleting it. */
export function EndSection() {
  const { organization, may } = useHere()
  const { isOwner } = useLevel()
  if (organization.is_personal)
    return (
      <Section title="Leave or delete">
        <p className="text-sm text-muted">
          This is your personal organization: it stays as long as your account, and goes with it.
        </p>
      </Section>
    )
  return (
    <Section title="Leave or delete">
      <ul className="flex flex-col divide-y divide-line">
        {isOwner && <Transfer />}
        <Leave />
        {may('organization:delete') && <Delete />}
      </ul>
    </Section>
  )
}

const Line = ({ text, hint, children }: { text: string; hint: string; children: ReactNode }) => (
  <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-3 first:pt-0 last:pb-0">
    <div className="min-w-0 grow basis-64">
      <h3 className="text-sm font-medium">{text}</h3>
      <p className="text-sm text-muted">{hint}</p>
    </div>
    {children}
  </li>
)

function Transfer() {
  const { user } = useHere()
  const { members } = useMemberNames()
  const transfer = useTransfer()
  const [id, setId] = useState('')
  const others = members.filter((member) => member.id !== user.id)
  const heir = others.find((member) => member.id === id)
  return (
    <Line text="Transfer ownership" hint="Another member becomes the owner, and you an admin.">
      <span className="flex flex-wrap items-center gap-2">
        <select
          aria-label="New owner"
          value={id}
          onChange={({ target }) => setId(target.value)}
          className="h-9 max-w-56 rounded-lg border border-line-strong/60 bg-raised px-2 text-sm"
        >
          <option value="">{others.length === 0 ? 'Nobody else is here' : 'Choose a member'}</option>
          {others.map((member) => (
            <option key={member.id} value={member.id}>
              {member.name}
            </option>
          ))}
        </select>
        <Button disabled={!heir} onClick={() => heir && void transfer(heir)}>
          Transfer
        </Button>
      </span>
    </Line>
  )
}

function Leave() {
  const { organization } = useHere()
  const confirm = useConfirm()
  const notify = useNotify()
  const goHome = useGoHome()
  const leaving = useChange('POST /api/org/leave', {
    outdates: ['GET /api/org/list', 'GET /api/users/me'],
    onDone: () => goHome(`You have left ${organization.name}`),
  })
  const leave = async () => {
    const consequence =
      'You lose access immediately, and your API keys for this organization stop working. Everything you created stays with the organization.'
    if (await confirm({ title: `Leave ${organization.name}?`, consequence, action: 'Leave organization' }))
      leaving.mutate({ query: { org_id: organization.id } }, { onError: notify })
  }
  return (
    <Line text="Leave" hint="To come back, you need an invitation. The last owner can’t leave.">
      <Button busy={leaving.isPending} onClick={() => void leave()}>
        Leave organization
      </Button>
    </Line>
  )
}

function Delete() {
  const { organization } = useHere()
  const confirm = useConfirm()
  const notify = useNotify()
  const goHome = useGoHome()
  const removal = useChange('DELETE /api/org/delete', {
    outdates: ['GET /api/org/list', 'GET /api/users/me'],
    onDone: () => goHome(`${organization.name} is deleted`),
  })
  const remove = async () => {
    const isSure = await confirm({
      title: `Delete ${organization.name}?`,
      consequence:
        'All chats, agents, knowledge bases, files, keys and credits of all members go, at once and for good. Deployments stop answering. An export made before is all that stays.',
      action: 'Delete organization',
      typed: organization.name,
    })
    if (isSure) removal.mutate({ query: { org_id: organization.id } }, { onError: notify })
  }
  return (
    <Line text="Delete" hint="Everything in it goes, for all members, and never comes back.">
      <Button kind="danger" busy={removal.isPending} onClick={() => void remove()}>
        Delete organization
      </Button>
    </Line>
  )
}

/** To an organization that one is still in. */
function useGoHome(): (text: string) => void {
  const { organization, organizations } = useHere()
  const navigate = useNavigate()
  const notify = useNotify()
  const left = organizations.filter(({ id }) => id !== organization.id)
  const next = left.find(({ is_personal }) => is_personal) ?? left[0]
  return (text) => {
    notify(text)
    void navigate({ to: '/', search: { org_id: next?.id } })
  }
}
