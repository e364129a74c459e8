import type { ListedUser } from '@parley/client/schemas'
import { Crown, Ellipsis, RotateCcw, Send, UserMinus, UserX, XCircle } from 'lucide-react'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { IconButton } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { InvitationLink } from './invitation-link.tsx'
import { useLevel } from './levels.ts'
import { useTransfer } from './use-transfer.ts'

/** What can be done with somebody in the list; nothing is shown where that is nothing. */
export function MemberMenu({ user }: { user: ListedUser }) {
  if (user.invite_id !== null) return <InvitationMenu user={user} invitation_id={user.invite_id} />
  return user.id === null ? null : <OneMemberMenu user={user} user_id={user.id} />
}

function OneMemberMenu({ user, user_id }: { user: ListedUser; user_id: string }) {
  const { organization, user: me } = useHere()
  const { isOwner, mayManage } = useLevel()
  const confirm = useConfirm()
  const notify = useNotify()
  const name = user.full_name || user.email || 'this member'
  const outdates = ['GET /api/users/list', 'GET /api/roles/list_roles', 'GET /api/org/features'] as const
  const setStatus = useChange('PUT /api/users/status', {
    outdates,
    onDone: ({ status }) =>
      notify(status === 'suspended' ? `${name} is suspended` : `${name} is active again`),
  })
  const removal = useChange('DELETE /api/users/remove', {
    outdates,
    onDone: () => notify(`${name} is removed`),
  })
  const transfer = useTransfer()
  const query = { org_id: organization.id, user_id }
  const suspend = (status: 'active' | 'suspended') =>
    setStatus.mutate({ query, body: { status } }, { onError: notify })
  const remove = async () => {
    const consequence = `${user.email || 'This member'} loses access at once, and the API keys that this person has made here stop working. What the person made stays with the organization.`
    if (await confirm({ title: `Remove ${name}?`, consequence, action: 'Remove' }))
      removal.mutate({ query }, { onError: notify })
  }
  const isManaged = mayManage(user.role) && user_id !== me.id
  const isHeir = isOwner && !organization.is_personal && user_id !== me.id && user.status === 'active'
  if (!isManaged && !isHeir) return null
  return (
    <Menu trigger={<IconButton small icon={Ellipsis} label={`Actions for ${name}`} />}>
      {isHeir && (
        <MenuItem icon={Crown} onSelect={() => void transfer({ id: user_id, name })}>
          Make owner
        </MenuItem>
      )}
      {isManaged && user.status === 'active' && (
        <MenuItem icon={UserX} onSelect={() => suspend('suspended')}>
          Suspend
        </MenuItem>
      )}
      {isManaged && user.status === 'suspended' && (
        <MenuItem icon={RotateCcw} onSelect={() => suspend('active')}>
          End the suspension
        </MenuItem>
      )}
      {isManaged && (
        <MenuItem danger icon={UserMinus} onSelect={() => void remove()}>
          Remove
        </MenuItem>
      )}
    </Menu>
  )
}

function InvitationMenu({ user, invitation_id }: { user: ListedUser; invitation_id: string }) {
  const { mayInvite } = useLevel()
  const confirm = useConfirm()
  const notify = useNotify()
  const [token, setToken] = useState<string>()
  const outdates = ['GET /api/users/list'] as const
  const resend = useChange('POST /api/invitations/resend', {
    outdates,
    // A link that signs its holder in goes to the mailbox only.
    onDone: (sent) =>
      sent.token ? setToken(sent.token) : notify(`A new link is on its way to ${user.email}`),
  })
  const revocation = useChange('DELETE /api/invitations/revoke', {
    outdates,
    onDone: () => notify(`The invitation of ${user.email} is revoked`),
  })
  const revoke = async () => {
    const consequence = `The link that was sent to ${user.email} stops working.`
    if (await confirm({ title: 'Revoke the invitation?', consequence, action: 'Revoke' }))
      revocation.mutate({ query: { invitation_id } }, { onError: notify })
  }
  if (!mayInvite) return null
  return (
    <>
      <Menu trigger={<IconButton small icon={Ellipsis} label={`Actions for ${user.email}`} />}>
        <MenuItem
          icon={Send}
          onSelect={() => resend.mutate({ query: { invitation_id } }, { onError: notify })}
        >
          Send a new link
        </MenuItem>
        {user.status === 'pending' && (
          <MenuItem danger icon={XCircle} onSelect={() => void revoke()}>
            Revoke
          </MenuItem>
        )}
      </Menu>
      {token && <InvitationLink email={user.email} token={token} onClose={() => setToken(undefined)} />}
    </>
  )
}
