import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { Section } from '../../ui/page.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { useLevel } from '../people/levels.ts'
import { useMemberNames } from '../people/member-names.ts'
import { useTransfer } from '../people/use-transfer.ts'

const t = translator('organization')

/** Transfers the organization's ownership, leaves the organization, or deletes it. */
export function EndSection() {
  const { organization, may } = useHere()
  const { isOwner } = useLevel()
  if (organization.is_personal)
    return (
      <Section title={t('end.title')}>
        <p className="text-sm text-muted">{t('end.personal')}</p>
      </Section>
    )
  return (
    <Section title={t('end.title')}>
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
    <Line text={t('transfer.title')} hint={t('transfer.hint')}>
      <span className="flex flex-wrap items-center gap-2">
        <select
          aria-label={t('transfer.newOwner')}
          value={id}
          onChange={({ target }) => setId(target.value)}
          className="h-9 touch:h-10 max-w-64 rounded-lg border border-line-strong/60 bg-raised px-2 text-sm"
        >
          <option value="">{t(others.length === 0 ? 'transfer.noMembers' : 'transfer.choose')}</option>
          {others.map((member) => (
            <option key={member.id} value={member.id}>
              {member.name}
            </option>
          ))}
        </select>
        <Button disabled={!heir} onClick={() => heir && void transfer(heir)}>
          {t('transfer.action')}
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
    onDone: () => goHome(t('leave.done', { name: organization.name })),
  })
  const leave = async () => {
    const isSure = await confirm({
      title: t('leave.question', { name: organization.name }),
      consequence: t('leave.consequence'),
      action: t('leave.action'),
    })
    if (isSure) leaving.mutate({ query: { org_id: organization.id } }, { onError: notify })
  }
  return (
    <Line text={t('leave.title')} hint={t('leave.hint')}>
      <Button busy={leaving.isPending} onClick={() => void leave()}>
        {t('leave.action')}
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
    onDone: () => goHome(t('delete.done', { name: organization.name })),
  })
  const remove = async () => {
    const isSure = await confirm({
      title: t('delete.question', { name: organization.name }),
      consequence: t('delete.consequence'),
      action: t('delete.action'),
      typed: organization.name,
    })
    if (isSure) removal.mutate({ query: { org_id: organization.id } }, { onError: notify })
  }
  return (
    <Line text={t('delete.title')} hint={t('delete.hint')}>
      <Button kind="danger" busy={removal.isPending} onClick={() => void remove()}>
        {t('delete.action')}
      </Button>
    </Line>
  )
}

/**
 * Returns a function that opens another of the user's organizations, preferably the personal one, and shows a notice.
 */
function useGoHome(): (text: string) => void {
  const { organization, organizations } = useHere()
  const navigate = useNavigate()
  const notify = useNotify()
  const others = organizations.filter(({ id }) => id !== organization.id)
  const next = others.find(({ is_personal }) => is_personal) ?? others[0]
  return (text) => {
    notify(text)
    void navigate({ to: '/', search: { org_id: next?.id } })
  }
}
