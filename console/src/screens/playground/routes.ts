import { createRoute } from '@tanstack/react-router'
import { appRoute } from '../../shell/app-route.tsx'
import { lateScreen } from '../../shell/late-screen.ts'
import { CONNECTIONS_MAX, type PlaygroundSearch } from './search-params.ts'

const playground = createRoute({
  getParentRoute: () => appRoute,
  path: '/playground',
  validateSearch: (search: Record<string, unknown>): PlaygroundSearch => {
    const given: unknown[] = Array.isArray(search['with']) ? search['with'] : []
    const ids = given.filter((id) => typeof id === 'string').slice(0, CONNECTIONS_MAX)
    const model = search['model']
    return { ...(ids.length > 0 && { with: ids }), ...(typeof model === 'string' && { model }) }
  },
  component: lateScreen(() => import('./playground.tsx'), 'Playground'),
})

export const playgroundRoutes = [playground] as const
