import { ParleyError } from '@parley/client'
import type { McpPendingConnection } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link, useLoaderData, useNavigate } from '@tanstack/react-router'
import { CircleCheck, Unplug, UserRoundX } from 'lucide-react'
import { useEffect, useState } from 'react'
import { api } from '../../api/client.ts'
import { queryClient, read, useChange } from '../../api/queries.ts'
import { session, useIsSignedIn } from '../../api/session.ts'
import { translator } from '../../messages/index.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { Outcome, Outside } from '../identity/outside.tsx'
import { endAttempt } from './attempts.ts'
import { Mark } from './mark.tsx'
import { forgetTicket } from './ticket.ts'

const t = translator('connections')

/**
 * The page on which the user confirms a connection. The server redirects here if a browser returns from a provider
 * but did not start the connection.
 */
export function Confirm() {
  const ticket = useLoaderData({ from: '/connections/confirm' })
  const isSignedIn = useIsSignedIn()
  const navigate = useNavigate()
  useEffect(() => {
    if (!isSignedIn) void navigate({ to: '/sign_in', search: { next: '/connections/confirm' } })
  }, [isSignedIn, navigate])
  if (!isSignedIn) return null
  if (ticket === null) return <Gone />
  return <Waiting key={ticket} ticket={ticket} />
}

function Waiting({ ticket }: { ticket: string }) {
  const pending = useQuery({
    queryKey: ['POST /api/mcp/pending_connection', ticket],
    queryFn: () => api.request('POST /api/mcp/pending_connection', { body: { ticket } }),
    // Confirming deletes the ticket. A later request would replace the result with an error.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const user = useQuery(read('GET /api/users/me', {}))
  if (pending.error instanceof ParleyError && pending.error.status === 404) return <Gone />
  const error = pending.error ?? user.error
  if (error)
    return (
      <Outside title={t('confirm.title')}>
        <Failure error={error} onRetry={() => void Promise.all([pending.refetch(), user.refetch()])} />
      </Outside>
    )
  if (!pending.data || !user.data)
    return (
      <Outside title={t('confirm.title')}>
        <div role="status" aria-label={t('loading')}>
          <Skeleton className="h-32" />
        </div>
      </Outside>
    )
  const props = { pending: pending.data, email: user.data.email }
  return pending.data.is_yours ? <Yours {...props} ticket={ticket} /> : <NotYours {...props} />
}

interface PendingProps {
  pending: McpPendingConnection
  /** The email address of the signed-in user. */
  email: string
}

function Yours({ pending: { server_name }, email, ticket }: PendingProps & { ticket: string }) {
  const navigate = useNavigate()
  const [isConnected, setConnected] = useState(false)
  const confirm = useChange('POST /api/mcp/confirm_connection', {
    outdates: ['GET /api/mcp/list_instances', 'GET /api/mcp/list_servers'],
    onDone: ({ mcp_session_id }) => {
      forgetTicket()
      endAttempt(mcp_session_id, { error: null })
      setConnected(true)
    },
  })
  if (isConnected)
    return (
      <Outside title={t('isConnected', { name: server_name })}>
        <Outcome icon={CircleCheck}>{t('callback.connectedFor', { email })}</Outcome>
        <ToConnections />
      </Outside>
    )
  const cancel = () => {
    forgetTicket()
    void navigate({ to: '/connections' })
  }
  return (
    <Outside title={t('confirm.yoursTitle', { name: server_name })}>
      <div className="flex items-center gap-3">
        <Mark name={server_name} />
        <p className="flex min-w-0 flex-col">
          <span className="font-medium wrap-anywhere">{server_name}</span>
          <span className="text-sm wrap-anywhere text-muted">{t('confirm.for', { email })}</span>
        </p>
      </div>
      <p className="text-sm">{t('confirm.warning')}</p>
      {confirm.error && <Failure error={confirm.error} />}
      {confirm.error ? (
        <ToConnections />
      ) : (
        <div className="flex flex-col gap-2">
          <Button
            kind="primary"
            busy={confirm.isPending}
            onClick={() => confirm.mutate({ body: { ticket } })}
          >
            {t('confirm.connect')}
          </Button>
          <Button onClick={cancel}>{t('cancel')}</Button>
        </div>
      )}
    </Outside>
  )
}

/**
 * Explains that another user started the connection. Only that user can finish it, so forwarding the link gives no
 * access.
 */
function NotYours({ pending: { server_name, started_by }, email }: PendingProps) {
  const changeUser = () => {
    session.signOut()
    queryClient.clear()
  }
  return (
    <Outside title={t('confirm.notYoursTitle')}>
      <Outcome icon={UserRoundX}>
        <span className="wrap-anywhere">
          {t('confirm.notYours', { user: started_by, name: server_name, email })}
        </span>
      </Outcome>
      <p className="text-sm">{t('confirm.notYoursHint')}</p>
      <div className="flex flex-col gap-2">
        <Button onClick={changeUser}>{t('confirm.signIn')}</Button>
        <Link to="/" onClick={forgetTicket} className={buttonLook()}>
          {t('confirm.home')}
        </Link>
      </div>
    </Outside>
  )
}

const Gone = () => (
  <Outside title={t('confirm.expiredTitle')}>
    <Outcome icon={Unplug}>{t('confirm.expired')}</Outcome>
    <ToConnections />
  </Outside>
)

const ToConnections = () => (
  <Link to="/connections" onClick={forgetTicket} className={buttonLook('primary')}>
    {t('goToConnections')}
  </Link>
)
