import { ParleyError } from '@parley/client'
import type { McpPendingConnection } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link, useLoaderData, useNavigate } from '@tanstack/react-router'
import { CircleCheck, Unplug, UserRoundX } from 'lucide-react'
import { useEffect, useState } from 'react'
import { api } from '../../api/client.ts'
import { queryClient, read, useChange } from '../../api/queries.ts'
import { session, useIsSignedIn } from '../../api/session.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { Outcome, Outside } from '../identity/outside.tsx'
import { endAttempt } from './attempts.ts'
import { Mark } from './mark.tsx'
import { forgetTicket } from './ticket.ts'

/** Where the server sends a browser that comes back from a provider and didn't start the connection. */
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
    queryKey: ['the connection that waits for confirmation', ticket],
    queryFn: () => api.request('POST /api/mcp/pending_connection', { body: { ticket } }),
    // Confirmed, it is gone, which must not replace what came of it.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const user = useQuery(read('GET /api/users/me', {}))
  if (pending.error instanceof ParleyError && pending.error.status === 404) return <Gone />
  const error = pending.error ?? user.error
  if (error)
    return (
      <Outside title="Connect an account">
        <Failure error={error} onRetry={() => void Promise.all([pending.refetch(), user.refetch()])} />
      </Outside>
    )
  if (!pending.data || !user.data)
    return (
      <Outside title="Connect an account">
        <div role="status" aria-label="Loading">
          <Skeleton className="h-32" />
        </div>
      </Outside>
    )
  const props = { pending: pending.data, email: user.data.email }
  return pending.data.is_yours ? <Yours {...props} ticket={ticket} /> : <NotYours {...props} />
}

interface PendingProps {
  pending: McpPendingConnection
  /** Of who is signed in. */
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
      <Outside title={`${server_name} is connected`}>
        <Outcome icon={CircleCheck}>It is connected for {email}.</Outcome>
        <ToConnections />
      </Outside>
    )
  const cancel = () => {
    forgetTicket()
    void navigate({ to: '/connections' })
  }
  return (
    <Outside title={`Connect ${server_name}?`}>
      <div className="flex items-center gap-3">
        <Mark name={server_name} />
        <p className="flex min-w-0 flex-col">
          <span className="font-medium wrap-anywhere">{server_name}</span>
          <span className="text-sm wrap-anywhere text-muted">for {email}</span>
        </p>
      </div>
      <p className="text-sm">
        You started this connection in another browser or with an API client. Connect it only if you started
        it yourself.
      </p>
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
            Connect
          </Button>
          <Button onClick={cancel}>Cancel</Button>
        </div>
      )}
    </Outside>
  )
}

/** Only the user who started a connection can finish it, so whoever forwarded the link gains nothing. */
function NotYours({ pending: { server_name, started_by }, email }: PendingProps) {
  const changeUser = () => {
    session.signOut()
    queryClient.clear()
  }
  return (
    <Outside title="Someone else started this connection">
      <Outcome icon={UserRoundX}>
        <span className="wrap-anywhere">
          {started_by} started connecting {server_name}. You are signed in as {email}.
        </span>
      </Outcome>
      <p className="text-sm">
        Nothing was connected. If you followed a link from someone else, close this page: they have no access
        to your account.
      </p>
      <div className="flex flex-col gap-2">
        <Button onClick={changeUser}>Sign in as another user</Button>
        <Link to="/" onClick={forgetTicket} className={buttonLook()}>
          Go to Parley
        </Link>
      </div>
    </Outside>
  )
}

const Gone = () => (
  <Outside title="Nothing to connect">
    <Outcome icon={Unplug}>
      This connection attempt has expired or was already finished. Connect your account again.
    </Outcome>
    <ToConnections />
  </Outside>
)

const ToConnections = () => (
  <Link to="/connections" onClick={forgetTicket} className={buttonLook('primary')}>
    Go to your connections
  </Link>
)
