import { createRoute, redirect } from '@tanstack/react-router'
import { session } from '../../api/session.ts'
import { appRoute, rootRoute } from '../../shell/app-route.tsx'
import { lateScreen } from '../../shell/late-screen.ts'
import { keepTicket, readTicket } from './ticket.ts'

const TABS = ['catalogue', 'parley'] as const
export type ConnectionsTab = (typeof TABS)[number] | 'own'

interface ConnectionsSearch {
  /** Default: the user's own connections. */
  tab?: ConnectionsTab
  /** The search for servers. */
  q?: string
  /** The server in the drawer. */
  server_id?: string
  /** The server to connect an account at. */
  connect?: string
}

/** The parameters that /api/mcp/callback adds. */
interface CallbackSearch {
  mcp_server_id?: string
  mcp_session_id?: string
  error?: string
}

const connections = createRoute({
  getParentRoute: () => appRoute,
  path: '/connections',
  validateSearch: (search: Record<string, unknown>): ConnectionsSearch => {
    const tab = TABS.find((name) => name === search['tab'])
    return { ...(tab && { tab }), ...textsOf(search, ['q', 'server_id', 'connect']) }
  },
  component: lateScreen(() => import('./connections.tsx'), 'Connections'),
})

const callback = createRoute({
  getParentRoute: () => appRoute,
  path: '/mcp/callback',
  validateSearch: (search: Record<string, unknown>): CallbackSearch =>
    textsOf(search, ['mcp_server_id', 'mcp_session_id', 'error']),
  component: lateScreen(() => import('./callback.tsx'), 'Callback'),
})

/** Outside the shell, so that the ticket is removed from the URL before sign-in. */
const confirm = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connections/confirm',
  beforeLoad: ({ location: { hash } }) => {
    if (hash !== '') {
      keepTicket(hash)
      throw redirect({ to: '/connections/confirm', hash: '', replace: true })
    }
    if (!session.isSignedIn()) throw redirect({ to: '/sign_in', search: { next: '/connections/confirm' } })
  },
  loader: readTicket,
  component: lateScreen(() => import('./confirm.tsx'), 'Confirm'),
})

/** Returns the parameters that are non-empty text. */
const textsOf = <Name extends string>(search: Record<string, unknown>, names: Name[]) =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = search[name]
      return typeof value === 'string' && value !== '' ? [[name, value]] : []
    }),
  ) as Partial<Record<Name, string>>

export const connectionRoutes = [connections, callback] as const

export const confirmationRoutes = [confirm] as const
