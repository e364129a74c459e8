import { createRootRoute, createRoute, Outlet, redirect, retainSearchParams } from '@tanstack/react-router'
import { session } from '../api/session.ts'
import { NotFound, ScreenFailed } from './not-found.tsx'
import { Shell } from './shell.tsx'

export const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: ScreenFailed,
})

/** What every screen of somebody who is signed in has in its address: the organization that it shows. */
interface ShellSearch {
  org_id?: string
}

/** Around all screens for who is signed in; others are asked to sign in, and come back. */
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
