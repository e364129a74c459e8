import { useQueries, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { outdate, read } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Skeleton } from '../../ui/states.tsx'
import { type Attempt, endAttempt, findAttempt } from './attempts.ts'

/**
 * Where the browser that started a connection comes back to. Anyone can send an address like this one: of an attempt
 * that this browser doesn't know, only the user's own list of connections is believed.
 */
export function Callback() {
  const { mcp_session_id: id, error } = useSearch({ from: '/app/mcp/callback' })
  const { user } = useHere()
  const [attempt] = useState(() => findAttempt(id))
  if (attempt && attempt.userId === user.id) return <Returned attempt={attempt} error={error ?? null} />
  return <Unasked id={id} />
}

/** An attempt of this browser, and of who is signed in. */
function Returned({ attempt, error }: { attempt: Attempt; error: string | null }) {
  const { user, organizations } = useHere()
  const navigate = useNavigate()
  const client = useQueryClient()
  const { id, serverId, serverName, organizationId, way } = attempt
  useEffect(() => {
    endAttempt(id, { error })
    void outdate(client, 'GET /api/mcp/list_instances', 'GET /api/mcp/list_servers')
    // Browsers refuse this where the provider has cut the window off; then the words stay.
    if (way === 'window') window.close()
  }, [id, error, way, client])
  const organization = organizations.find((one) => one.id === organizationId)
  const goOn = (search: { tab?: 'catalogue'; connect?: string }) =>
    void navigate({ to: '/connections', search: { org_id: organizationId, ...search } })
  if (error !== null)
    return (
      <Page title="Not connected">
        <Outcome icon={CircleAlert} title={`${serverName} was not connected`} words={error}>
          <Button kind="primary" onClick={() => goOn({ tab: 'catalogue', connect: serverId })}>
            Try again
          </Button>
        </Outcome>
      </Page>
    )
  return (
    <Page title="Connected">
      <Outcome
        icon={CircleCheck}
        title={`${serverName} is connected`}
        words={`For ${user.email}, in ${organization?.name ?? 'another organization'}. ${
          way === 'window' ? 'You can close this window.' : ''
        }`}
      >
        <Button kind="primary" onClick={() => goOn({})}>
          Go to your connections
        </Button>
      </Outcome>
    </Page>
  )
}

/** A way back that this browser has no attempt of: the lists say what it is. */
function Unasked({ id }: { id: string | undefined }) {
  const { organizations, user } = useHere()
  const lists = useQueries({
    queries: organizations.map(({ id: org_id }) => ({
      ...read('GET /api/mcp/list_instances', { org_id }),
      retry: false,
    })),
  })
  const own = lists.flatMap(({ data }) => data ?? []).find((instance) => instance.id === id)
  if (!own && lists.some(({ isPending }) => isPending))
    return (
      <Page title="Connecting">
        <Skeleton className="h-48" />
      </Page>
    )
  if (own?.status === 'active')
    return (
      <Page title="Connected">
        <Outcome icon={CircleCheck} title={`${own.server_name} is connected`} words={`For ${user.email}.`}>
          <ToConnections />
        </Outcome>
      </Page>
    )
  return (
    <Page title="Not connected">
      <Outcome
        icon={CircleAlert}
        title="Nothing was connected for you"
        words="This address belongs to no connection of yours. Start again from your connections."
      >
        <ToConnections />
      </Outcome>
    </Page>
  )
}

const ToConnections = () => (
  <Link to="/connections" className={buttonLook('primary')}>
    Go to your connections
  </Link>
)

interface OutcomeProps {
  icon: typeof CircleCheck
  title: string
  words: ReactNode
  children: ReactNode
}

const Outcome = ({ icon, title, words, children }: OutcomeProps) => (
  <div role="status">
    <Empty icon={icon} title={title} action={<div className="flex flex-wrap gap-2">{children}</div>}>
      <span className="wrap-anywhere">{words}</span>
    </Empty>
  </div>
)
