import type { ListedUser } from '@parley/client/schemas'
import { Crown, Ellipsis, RotateCcw, Send, UserMinus, UserX, XCircle } from 'lucide-react'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useSendsEmail } from '../../api/use-sends-email.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { IconButton } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { InvitationLink } from './invitation-link.tsx'
import { useLevel } from './levels.ts'
import { useTransfer } from './use-transfer.ts'

const t = translator('people')

/** The menu of actions on a member or an invitation. Renders nothing if the user may perform none of them. */
export function MemberMenu({ user }: { user: ListedUser }) {
  if (user.invite_id !== null) return <InvitationMenu user={user} invitation_id={user.invite_id} />
  return user.id === null ? null : <OneMemberMenu user={user} user_id={user.id} />
}

function OneMemberMenu({ user, user_id }: { user: ListedUser; user_id: string }) {
  const { organization, user: me } = useHere()
  const { isOwner, mayManage } = useLevel()
  const confirm = useConfirm()
  const notify = useNotify()
  const name = user.full_name || user.email || t('menu.unnamed')
  const outdates = ['GET /api/users/list', 'GET /api/roles/list_roles', 'GET /api/org/features'] as const
  const setStatus = useChange('PUT /api/users/update_status', {
    outdates,
    onDone: ({ status }) =>
      notify(t(status === 'suspended' ? 'menu.suspended' : 'menu.reactivated', { name })),
  })
  const removal = useChange('DELETE /api/users/remove', {
    outdates,
    onDone: () => notify(t('menu.removed', { name })),
  })
  const transfer = useTransfer()
  const query = { org_id: organization.id, user_id }
  const suspend = (status: 'active' | 'suspended') =>
    setStatus.mutate({ query, body: { status } }, { onError: notify })
  const remove = async () => {
    const isSure = await confirm({
      title: t('menu.removeTitle', { name }),
      consequence: t('menu.removeConsequence', { member: user.email || name }),
      action: t('menu.remove'),
    })
    if (isSure) removal.mutate({ query }, { onError: notify })
  }
  const isManaged = mayManage(user.role) && user_id !== me.id
  const isHeir = isOwner && !organization.is_personal && user_id !== me.id && user.status === 'active'
  if (!isManaged && !isHeir) return null
  return (
    <Menu trigger={<IconButton small icon={Ellipsis} label={t('menu.label', { name })} />}>
      {isHeir && (
        <MenuItem icon={Crown} onSelect={() => void transfer({ id: user_id, name })}>
          {t('menu.makeOwner')}
        </MenuItem>
      )}
      {isManaged && user.status === 'active' && (
        <MenuItem icon={UserX} onSelect={() => suspend('suspended')}>
          {t('menu.suspend')}
        </MenuItem>
      )}
      {isManaged && user.status === 'suspended' && (
        <MenuItem icon={RotateCcw} onSelect={() => suspend('active')}>
          {t('menu.reactivate')}
        </MenuItem>
      )}
      {isManaged && (
        <MenuItem danger icon={UserMinus} onSelect={() => void remove()}>
          {t('menu.remove')}
        </MenuItem>
      )}
    </Menu>
  )
}

function InvitationMenu({ user, invitation_id }: { user: ListedUser; invitation_id: string }) {
  const { mayInvite } = useLevel()
  const confirm = useConfirm()
  const notify = useNotify()
  const sendsEmail = useSendsEmail()
  const [token, setToken] = useState<string>()
  const outdates = ['GET /api/users/list'] as const
  const resend = useChange('POST /api/invitations/resend', {
    outdates,
    // If the link signs in a new user, the API sends it only by email and returns no token.
    onDone: (sent) =>
      sent.token
        ? setToken(sent.token)
        : notify(t(sendsEmail ? 'menu.resent' : 'menu.notResent', { email: user.email })),
  })
  const revocation = useChange('DELETE /api/invitations/revoke', {
    outdates,
    onDone: () => notify(t('menu.revoked', { email: user.email })),
  })
  const revoke = async () => {
    const isSure = await confirm({
      title: t('menu.revokeTitle', { email: user.email }),
      consequence: t('menu.revokeConsequence'),
      action: t('menu.revoke'),
    })
    if (isSure) revocation.mutate({ query: { invitation_id } }, { onError: notify })
  }
  if (!mayInvite) return null
  return (
    <>
      <Menu trigger={<IconButton small icon={Ellipsis} label={t('menu.label', { name: user.email })} />}>
        <MenuItem
          icon={Send}
          onSelect={() => resend.mutate({ query: { invitation_id } }, { onError: notify })}
        >
          {t(sendsEmail ? 'menu.resend' : 'menu.newLink')}
        </MenuItem>
        {user.status === 'pending' && (
          <MenuItem danger icon={XCircle} onSelect={() => void revoke()}>
            {t('menu.revoke')}
          </MenuItem>
        )}
      </Menu>
      {token && <InvitationLink email={user.email} token={token} onClose={() => setToken(undefined)} />}
    </>
  )
}
