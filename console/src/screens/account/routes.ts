import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../shell/app-route.tsx'

const account = createRoute({
  getParentRoute: () => appRoute,
  path: '/account',
  component: lazyRouteComponent(() => import('./account.tsx'), 'Account'),
})

const newOrganization = createRoute({
  getParentRoute: () => appRoute,
  path: '/organizations/new',
  component: lazyRouteComponent(() => import('./new-organization.tsx'), 'NewOrganization'),
})

export const accountRoutes = [account, newOrganization] as const
