import { createRoute } from '@tanstack/react-router'
import { appRoute } from '../../shell/app-route.tsx'
import { lateScreen } from '../../shell/late-screen.ts'

const TABS = ['overview', 'look', 'install', 'key'] as const
export type DeploymentTab = (typeof TABS)[number]

const PERIODS = [7, 30, 90] as const
/** In days. */
export type Period = (typeof PERIODS)[number]

interface ListSearch {
  /** A new deployment of this agent is being made. */
  agent_id?: string
}

interface DeploymentSearch {
  tab?: DeploymentTab
  days?: Period
}

const deployments = createRoute({
  getParentRoute: () => appRoute,
  path: '/deployments',
  validateSearch: ({ agent_id }: Record<string, unknown>): ListSearch =>
    typeof agent_id === 'string' ? { agent_id } : {},
  component: lateScreen(() => import('./deployments.tsx'), 'Deployments'),
})

const deployment = createRoute({
  getParentRoute: () => appRoute,
  path: '/deployments/$deploymentId',
  validateSearch: (search: Record<string, unknown>): DeploymentSearch => {
    const tab = TABS.find((name) => name === search['tab'])
    const days = PERIODS.find((period) => period === search['days'])
    return { ...(tab && { tab }), ...(days && { days }) }
  },
  component: lateScreen(() => import('./deployment-page.tsx'), 'DeploymentPage'),
})

export const deploymentRoutes = [deployments, deployment] as const
