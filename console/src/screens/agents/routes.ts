import { createRoute } from '@tanstack/react-router'
import { appRoute } from '../../shell/app-route.tsx'
import { lateScreen } from '../../shell/late-screen.ts'

/** The open tab of an agent's page. On narrow screens, the page shows either the form or the test chat. */
export type AgentTab = 'edit' | 'try'

const agents = createRoute({
  getParentRoute: () => appRoute,
  path: '/agents',
  validateSearch: ({ q, create }: Record<string, unknown>): { q?: string; create?: true } => ({
    ...(typeof q === 'string' && q !== '' && { q }),
    ...(create === true && { create }),
  }),
  component: lateScreen(() => import('./agents.tsx'), 'Agents'),
})

const agent = createRoute({
  getParentRoute: () => appRoute,
  path: '/agents/$agentId',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: AgentTab } => (tab === 'try' ? { tab } : {}),
  component: lateScreen(() => import('./agent-page.tsx'), 'AgentPage'),
})

export const agentRoutes = [agents, agent] as const
