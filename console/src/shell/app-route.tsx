import { createRootRoute, createRoute, Outlet, redirect, retainSearchParams } from '@tanstack/react-router'
import { session } from '../api/session.ts'
import { lateScreen } from './late-screen.ts'
import { Shell } from './shell.tsx'

export const rootRoute = createRootRoute({
  component: Outlet,
})

/** The search parameters that all pages for signed-in users have. */
interface ShellSearch {
  org_id?: string
}

/** The parent route of all pages for signed-in users. Signed-out users are redirected to sign in, and then return. */
export const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'app',
  validateSearch: ({ org_id }: Record<string, unknown>): ShellSearch =>
    typeof org_id === 'string' ? { org_id } : {},
  search: { middlewares: [retainSearchParams(['org_id'])] },
  beforeLoad: ({ location }) => {
    if (!session.isSignedIn()) throw redirect({ to: '/sign_in', search: { next: location.href } })
  },
  component: Shell,
})

/** Unknown pages keep the navigation, so this route is within the shell. */
const unknownRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '$',
  component: lateScreen(() => import('./not-found.tsx'), 'NotFound', { text: 'first' }),
})

export const shellRoutes = [unknownRoute] as const
