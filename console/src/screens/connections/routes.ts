import { createRoute, redirect } from '@tanstack/react-router'
import { session } from '../../api/session.ts'
import { appRoute, rootRoute } from '../../shell/app-route.tsx'
import { lateScreen } from '../../shell/late-screen.ts'
import { keepTicket, readTicket } from './ticket.ts'

const TABS = ['catalogue', 'parley'] as const
export type ConnectionsTab = (typeof TABS)[number] | 'own'

interface ConnectionsSearch {
  /** The open tab. By default, the user's own connections. */
  tab?: ConnectionsTab
  /** The search text that filters the servers. */
  q?: string
  /** The id of the server that is open in the drawer. */
  server_id?: string
  /** The id of the server that the user is connecting to. */
  connect?: string
}

/** The query parameters that /api/mcp/callback adds. */
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

/** This route is outside the shell, so that it removes the ticket from the URL before the user signs in. */
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

/** Returns the parameters with these names whose values are non-empty strings. */
const textsOf = <Name extends string>(search: Record<string, unknown>, names: Name[]) =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = search[name]
      return typeof value === 'string' && value !== '' ? [[name, value]] : []
    }),
  ) as Partial<Record<Name, string>>

export const connectionRoutes = [connections, callback] as const

export const confirmationRoutes = [confirm] as const
