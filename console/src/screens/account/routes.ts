import { createRoute } from '@tanstack/react-router'
import { appRoute } from '../../shell/app-route.tsx'
import { lateScreen } from '../../shell/late-screen.ts'

const account = createRoute({
  getParentRoute: () => appRoute,
  path: '/account',
  component: lateScreen(() => import('./account.tsx'), 'Account'),
})

const newOrganization = createRoute({
  getParentRoute: () => appRoute,
  path: '/organizations/new',
  component: lateScreen(() => import('./new-organization.tsx'), 'NewOrganization'),
})

export const accountRoutes = [account, newOrganization] as const
