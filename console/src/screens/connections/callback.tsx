import { useQueries, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { CircleAlert, CircleCheck, ShieldAlert } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import type { McpInstance } from '../../api/operations.ts'
import { outdate, read, useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Failure, Skeleton } from '../../ui/states.tsx'
import { type Attempt, endAttempt, findAttempt } from './attempts.ts'

/**
 * Where somebody comes back to who has signed in at a provider. Addresses can be sent by anybody: what this browser has
 * not begun itself is not believed, and what was connected by it can be taken back.
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

/** A way back that this browser knows nothing of: begun on another device, or by somebody else. */
function Unasked({ id }: { id: string | undefined }) {
  const { organizations } = useHere()
  const lists = useQueries({
    queries: organizations.map(({ id: org_id }) => ({
      ...read('GET /api/mcp/list_instances', { org_id }),
      retry: false,
    })),
  })
  const place = lists.findIndex(({ data }) => data?.some((instance) => instance.id === id))
  const own = lists[place]?.data?.find((instance) => instance.id === id)
  if (own) return <OwnUnasked instance={own} organization={organizations[place]?.name ?? ''} />
  if (lists.some(({ isPending }) => isPending))
    return (
      <Page title="Connecting">
        <Skeleton className="h-48" />
      </Page>
    )
  return (
    <Page title="Not your connection">
      <Outcome
        icon={ShieldAlert}
        title="Nothing was connected for you"
        words={
          <>
            You did not begin this here, and it is no connection of yours. If you have just given a service
            access to Parley after following somebody's link, that access may now belong to somebody else.
            Take it back in the settings of that service, where it lists the apps that may use your account.
          </>
        }
      >
        <Link to="/connections" className={buttonLook('primary')}>
          Go to your connections
        </Link>
      </Outcome>
    </Page>
  )
}

/** It is one's own, and it may have been begun on another device: one says whether it is to stay. */
function OwnUnasked({ instance, organization }: { instance: McpInstance; organization: string }) {
  const { user } = useHere()
  const navigate = useNavigate()
  const done = () => void navigate({ to: '/connections' })
  const remove = useChange('DELETE /api/mcp/instance', {
    outdates: ['GET /api/mcp/list_instances', 'GET /api/mcp/list_servers'],
    onDone: done,
  })
  return (
    <Page title="Is this yours?">
      <Outcome
        icon={ShieldAlert}
        title={`Did you connect ${instance.server_name}?`}
        words={`It now belongs to ${user.email} in ${organization}, and it was not begun in this browser. Keep it only if you began it yourself, on another device or with a program.`}
      >
        <Button
          kind="danger"
          busy={remove.isPending}
          onClick={() => remove.mutate({ query: { mcp_instance_id: instance.id } })}
        >
          Remove it
        </Button>
        <Button onClick={done}>Keep it</Button>
      </Outcome>
      {remove.error && <Failure error={remove.error} />}
    </Page>
  )
}

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
