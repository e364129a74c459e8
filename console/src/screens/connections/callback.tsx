import { useQueries, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { outdate, read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Skeleton } from '../../ui/states.tsx'
import { type Attempt, endAttempt, findAttempt } from './attempts.ts'

const t = translator('connections')

/**
 * The page to which the server redirects after a connection attempt. Anyone can craft a link to this page. If this
 * browser did not start the attempt, the page shows the user's connections instead of the URL's parameters.
 */
export function Callback() {
  const { mcp_session_id: id, error } = useSearch({ from: '/app/mcp/callback' })
  const { user } = useHere()
  const [attempt] = useState(() => findAttempt(id))
  if (attempt && attempt.userId === user.id) return <Returned attempt={attempt} error={error ?? null} />
  return <Unasked id={id} />
}

/** Shows the outcome of an attempt that the signed-in user started in this browser. */
function Returned({ attempt, error }: { attempt: Attempt; error: string | null }) {
  const { user, organizations } = useHere()
  const navigate = useNavigate()
  const client = useQueryClient()
  const { id, serverId, serverName, organizationId, way } = attempt
  useEffect(() => {
    endAttempt(id, { error })
    void outdate(client, 'GET /api/mcp/list_instances', 'GET /api/mcp/list_servers')
    // Browsers don't close the window if the provider's page cut the link to its opener. The text then remains
    // visible.
    if (way === 'window') window.close()
  }, [id, error, way, client])
  const organization = organizations.find((one) => one.id === organizationId)
  const goOn = (search: { tab?: 'catalogue'; connect?: string }) =>
    void navigate({ to: '/connections', search: { org_id: organizationId, ...search } })
  if (error !== null)
    return (
      <Page title={t('callback.notConnected')}>
        <Outcome icon={CircleAlert} title={t('callback.failedTitle', { name: serverName })} text={error}>
          <Button kind="primary" onClick={() => goOn({ tab: 'catalogue', connect: serverId })}>
            {t('callback.retry')}
          </Button>
        </Outcome>
      </Page>
    )
  return (
    <Page title={t('callback.connected')}>
      <Outcome
        icon={CircleCheck}
        title={t('isConnected', { name: serverName })}
        text={
          <>
            {organization
              ? t('callback.connectedIn', { email: user.email, organization: organization.name })
              : t('callback.connectedFor', { email: user.email })}{' '}
            {way === 'window' && t('callback.closeWindow')}
          </>
        }
      >
        <Button kind="primary" onClick={() => goOn({})}>
          {t('goToConnections')}
        </Button>
      </Outcome>
    </Page>
  )
}

/**
 * Shows whether a connection attempt that this browser did not start has succeeded, according to the user's
 * connections.
 */
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
      <Page title={t('callback.connecting')}>
        <Skeleton className="h-48" />
      </Page>
    )
  if (own?.status === 'active')
    return (
      <Page title={t('callback.connected')}>
        <Outcome
          icon={CircleCheck}
          title={t('isConnected', { name: own.server_name })}
          text={t('callback.connectedFor', { email: user.email })}
        >
          <ToConnections />
        </Outcome>
      </Page>
    )
  return (
    <Page title={t('callback.notConnected')}>
      <Outcome icon={CircleAlert} title={t('callback.unknownTitle')} text={t('callback.unknown')}>
        <ToConnections />
      </Outcome>
    </Page>
  )
}

const ToConnections = () => (
  <Link to="/connections" className={buttonLook('primary')}>
    {t('goToConnections')}
  </Link>
)

interface OutcomeProps {
  icon: typeof CircleCheck
  title: string
  text: ReactNode
  children: ReactNode
}

const Outcome = ({ icon, title, text, children }: OutcomeProps) => (
  <div role="status">
    <Empty icon={icon} title={title} action={<div className="flex flex-wrap gap-2">{children}</div>}>
      <span className="wrap-anywhere">{text}</span>
    </Empty>
  </div>
)
