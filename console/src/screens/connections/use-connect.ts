import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { outdate } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { type Attempt, forgetAttempt, keepAttempt, onOutcome } from './attempts.ts'

const t = translator('connections')

/** A server to connect to, or an existing connection to renew. */
export interface Target {
  server: { id: string; name: string; auth_type: AuthType }
  /** The id of the connection to renew. Omit it to create a connection. */
  instanceId?: string
}

export type AuthType = 'none' | 'oauth' | 'api_key' | 'composio' | null

export type Connecting =
  | { state: 'asked' }
  /** Parley is requesting the sign-in URL or testing the API key. */
  | { state: 'working' }
  /** The provider's sign-in page at `host` is open. */
  | { state: 'away'; host: string; address: string }
  | { state: 'connected' }
  | { state: 'failed'; error: Error }

const WINDOW_LOOK = 'popup,width=600,height=760'

/** Operations whose cached responses are stale after connecting. */
const OUTDATED = [
  'GET /api/mcp/list_instances',
  'GET /api/mcp/list_servers',
  'GET /api/mcp/server_with_tools',
] as const

/**
 * Connects an account with an API key or through the provider's sign-in page. That page opens in a new window, or in
 * this tab if the browser blocks windows.
 */
export function useConnect({ server, instanceId }: Target, onConnected?: (instanceId: string) => void) {
  const { organization, user } = useHere()
  const client = useQueryClient()
  const [connecting, setConnecting] = useState<Connecting>({ state: 'asked' })
  const [attemptId, setAttemptId] = useState<string>()
  const opened = useRef<Window | null>(null)

  const end = (id: string, error: string | null) => {
    forgetAttempt(id)
    setConnecting(error === null ? { state: 'connected' } : { state: 'failed', error: new Error(error) })
    if (error === null) onConnected?.(id)
    void outdate(client, ...OUTDATED)
  }
  const hear = useEffectEvent(end)
  useEffect(
    () => (attemptId === undefined ? undefined : onOutcome(attemptId, ({ error }) => hear(attemptId, error))),
    [attemptId],
  )

  async function begin(apiKey?: string): Promise<void> {
    // Open the window before any await: browsers block windows that open later than the click.
    opened.current = needsWindow(server.auth_type) ? window.open('about:blank', '_blank', WINDOW_LOOK) : null
    const own = opened.current
    // Without this, the provider's page could navigate this tab.
    if (own) own.opener = null
    setConnecting({ state: 'working' })
    try {
      const asked = await api.request('POST /api/mcp/connect_account', {
        query: { org_id: organization.id },
        body: {
          server_id: server.id,
          flow_type: 'console',
          ...(apiKey !== undefined && { api_key: apiKey }),
          ...(instanceId !== undefined && { mcp_instance_id: instanceId }),
        },
      })
      const id = asked.connectionData.mcp_session_id
      const attempt: Attempt = {
        id,
        serverId: server.id,
        serverName: server.name,
        organizationId: organization.id,
        userId: user.id,
        way: own ? 'window' : 'tab',
        begunAt: Date.now(),
      }
      keepAttempt(attempt)
      setAttemptId(id)
      await go(webAddress(asked.redirect_url), own, id)
    } catch (error) {
      own?.close()
      setConnecting({ state: 'failed', error: error as Error })
    }
  }

  async function go(address: URL, own: Window | null, id: string): Promise<void> {
    if (!own && address.origin === location.origin) return end(id, await finishHere(address))
    setConnecting({ state: 'away', host: address.host, address: address.href })
    if (own) own.location.replace(address.href)
    else location.assign(address.href)
  }

  return {
    connecting,
    begin: (apiKey?: string) => void begin(apiKey),
    /**
     * Stops waiting for the outcome. If the user still completes sign-in in the provider's window, the account is
     * connected.
     */
    giveUp() {
      opened.current?.close()
      setConnecting({ state: 'asked' })
    },
  }
}

const needsWindow = (type: AuthType): boolean => type === 'oauth' || type === 'composio'

/** Parses the sign-in URL. The MCP server provides this URL, so only http and https are allowed. */
function webAddress(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error(t('connect.invalidUrl'))
  return url
}

/**
 * Requests a callback URL of this server and follows its redirects. Opens no page, because no provider has to ask for
 * the user's consent. Returns the error, or null on success.
 */
async function finishHere(address: URL): Promise<string | null> {
  const answer = await api.fetch(address.pathname + address.search, {
    headers: { accept: 'text/html' },
  })
  const back = new URL(answer.url)
  if (back.pathname !== '/mcp/callback') return t('connect.expired')
  return back.searchParams.get('error')
}
