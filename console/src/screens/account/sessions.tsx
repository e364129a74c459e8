import type { Session } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Monitor, Smartphone } from 'lucide-react'
import { readPages, useChange } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { Section } from '../../ui/page.tsx'
import { Failure, Loaded, More, SkeletonList } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { deviceOf } from './device.ts'

export function Sessions() {
  const sessions = useInfiniteQuery(readPages('GET /api/auth/sessions', {}))
  const notify = useNotify()
  const confirm = useConfirm()
  const end = useChange('DELETE /api/auth/sessions', {
    outdates: ['GET /api/auth/sessions'],
    onDone: (_reply, { query }) =>
      notify(query?.session_id ? 'Signed out there' : 'Signed out everywhere else'),
  })
  const others = sessions.data?.filter(({ is_current }) => !is_current) ?? []
  const endOne = async (session: Session) => {
    const yes = await confirm({
      title: `Sign out ${deviceOf(session.user_agent).name}?`,
      consequence: 'Whoever uses it there has to sign in again.',
      action: 'Sign out',
    })
    if (yes) end.mutate({ query: { session_id: session.id } })
  }
  const endOthers = async () => {
    const yes = await confirm({
      title: 'Sign out everywhere else?',
      consequence: 'Only this browser stays signed in.',
      action: 'Sign out',
    })
    if (yes) end.mutate({ query: {} })
  }
  return (
    <Section
      title="Where you are signed in"
      actions={
        others.length > 0 && (
          <Button size="small" busy={end.isPending} onClick={() => void endOthers()}>
            Sign out everywhere else
          </Button>
        )
      }
    >
      {end.error && <Failure error={end.error} />}
      <Loaded query={sessions} skeleton={<SkeletonList lines={2} />}>
        {(all) => (
          <ul aria-label="Sessions" className="flex flex-col divide-y divide-line">
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
          {session.is_current && <Badge tone="accent">This browser</Badge>}
        </p>
        <p className="text-sm break-words text-muted">
          {session.ip_address && <>{session.ip_address} · </>}
          used <Ago time={session.last_used_at} />, signed in <Ago time={session.created_at} />
        </p>
      </div>
      {!session.is_current && (
        <Button size="small" aria-label={`Sign out ${name}`} onClick={onEnd}>
          Sign out
        </Button>
      )}
    </li>
  )
}
