import { createRoute } from '@tanstack/react-router'
import { appRoute } from '../../shell/app-route.tsx'
import { lateScreen } from '../../shell/late-screen.ts'

/** The tab of an agent's page on narrow screens, which show one of the two. */
export type AgentTab = 'edit' | 'try'

const agents = createRoute({
  getParentRoute: () => appRoute,
  path: '/agents',
  validateSearch: ({ q }: Record<string, unknown>): { q?: string } =>
    typeof q === 'string' && q !== '' ? { q } : {},
  component: lateScreen(() => import('./agents.tsx'), 'Agents'),
})

const agent = createRoute({
  getParentRoute: () => appRoute,
  path: '/agents/$agentId',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: AgentTab } => (tab === 'try' ? { tab } : {}),
  component: lateScreen(() => import('./agent-page.tsx'), 'AgentPage'),
})

export const agentRoutes = [agents, agent] as const
