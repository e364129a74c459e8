import { createRoute } from '@tanstack/react-router'
import { appRoute } from '../../shell/app-route.tsx'
import { lateScreen } from '../../shell/late-screen.ts'
import {
  DEPLOYMENT_PERIODS,
  DEPLOYMENT_TABS,
  type DeploymentSearch,
  type ListSearch,
} from './search-params.ts'

const deployments = createRoute({
  getParentRoute: () => appRoute,
  path: '/deployments',
  validateSearch: ({ q, agent_id }: Record<string, unknown>): ListSearch => ({
    ...(typeof q === 'string' && q !== '' && { q }),
    ...(typeof agent_id === 'string' && { agent_id }),
  }),
  component: lateScreen(() => import('./deployments.tsx'), 'Deployments'),
})

const deployment = createRoute({
  getParentRoute: () => appRoute,
  path: '/deployments/$deploymentId',
  validateSearch: (search: Record<string, unknown>): DeploymentSearch => {
    const tab = DEPLOYMENT_TABS.find((name) => name === search['tab'])
    const days = DEPLOYMENT_PERIODS.find((period) => period === search['days'])
    return { ...(tab && { tab }), ...(days && { days }) }
  },
  component: lateScreen(() => import('./deployment-page.tsx'), 'DeploymentPage'),
})

export const deploymentRoutes = [deployments, deployment] as const
