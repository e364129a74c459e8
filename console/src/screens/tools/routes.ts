import { createRoute } from '@tanstack/react-router'
import { appRoute } from '../../shell/app-route.tsx'
import { lateScreen } from '../../shell/late-screen.ts'
import type { ToolsSearch, ToolTab } from './search-params.ts'

const tools = createRoute({
  getParentRoute: () => appRoute,
  path: '/tools',
  validateSearch: ({ q, category_id, from, create }: Record<string, unknown>): ToolsSearch => ({
    ...(typeof q === 'string' && q !== '' && { q }),
    ...(typeof category_id === 'string' && { category_id }),
    ...((from === 'own' || from === 'public') && { from }),
    ...(create === true && { create }),
  }),
  component: lateScreen(() => import('./tools.tsx'), 'Tools'),
})

const tool = createRoute({
  getParentRoute: () => appRoute,
  path: '/tools/$toolId',
  validateSearch: ({ tab, by }: Record<string, unknown>): { tab?: ToolTab; by?: 'model' } => ({
    ...(tab === 'test' && { tab }),
    ...(by === 'model' && { by }),
  }),
  component: lateScreen(() => import('./tool-page.tsx'), 'ToolPage'),
})

export const toolRoutes = [tools, tool] as const
