import type { Session } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Monitor, Smartphone } from 'lucide-react'
import { readPages, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { Section } from '../../ui/page.tsx'
import { Failure, Loaded, More, SkeletonList } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { deviceOf } from './device.ts'

const t = translator('account')

export function Sessions() {
  const sessions = useInfiniteQuery(readPages('GET /api/auth/sessions', {}))
  const notify = useNotify()
  const confirm = useConfirm()
  const end = useChange('DELETE /api/auth/sessions', {
    outdates: ['GET /api/auth/sessions'],
    onDone: (_reply, { query }) =>
      notify(query?.session_id ? t('sessions.signedOut') : t('sessions.signedOutOthers')),
  })
  const others = sessions.data?.filter(({ is_current }) => !is_current) ?? []
  const endOne = async (session: Session) => {
    const yes = await confirm({
      title: t('sessions.signOutTitle', { device: deviceOf(session.user_agent).name }),
      consequence: t('sessions.signOutConsequence'),
      action: t('sessions.signOut'),
    })
    if (yes) end.mutate({ query: { session_id: session.id } })
  }
  const endOthers = async () => {
    const yes = await confirm({
      title: t('sessions.signOutOthersTitle'),
      consequence: t('sessions.signOutOthersConsequence'),
      action: t('sessions.signOut'),
    })
    if (yes) end.mutate({ query: {} })
  }
  return (
    <Section
      title={t('sessions.title')}
      actions={
        others.length > 0 && (
          <Button size="small" busy={end.isPending} onClick={() => void endOthers()}>
            {t('sessions.signOutOthers')}
          </Button>
        )
      }
    >
      {end.error && <Failure error={end.error} />}
      <Loaded query={sessions} skeleton={<SkeletonList lines={2} />}>
        {(all) => (
          <ul aria-label={t('sessions.list')} className="flex flex-col divide-y divide-line">
            {all.map((session) => (
              <SessionLine key={session.id} session={session} onEnd={() => void endOne(session)} />
            ))}
          </ul>
        )}
      </Loaded>
      <More query={sessions} />
    </Section>
  )
}

function SessionLine({ session, onEnd }: { session: Session; onEnd: () => void }) {
  const { name, isPhone } = deviceOf(session.user_agent)
  const Icon = isPhone ? Smartphone : Monitor
  return (
    <li className="flex items-center gap-3 py-3 first:pt-0 last:pb-0">
      <Icon aria-hidden size={20} className="shrink-0 text-muted" />
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span title={session.user_agent ?? undefined}>{name}</span>
          {session.is_current && <Badge tone="accent">{t('sessions.current')}</Badge>}
        </p>
        <p className="text-sm break-words text-muted">
          {session.ip_address && <>{session.ip_address} · </>}
          {t.rich('sessions.times', {
            used: () => <Ago time={session.last_used_at} />,
            created: () => <Ago time={session.created_at} />,
          })}
        </p>
      </div>
      {!session.is_current && (
        <Button size="small" aria-label={t('sessions.signOutNamed', { device: name })} onClick={onEnd}>
          {t('sessions.signOut')}
        </Button>
      )}
    </li>
  )
}
