import { createRoute } from '@tanstack/react-router'
import { appRoute } from '../../shell/app-route.tsx'
import { lateScreen } from '../../shell/late-screen.ts'

interface PlaygroundSearch {
  /** Ids of the connections whose tools the model has. None: it finds servers. */
  with?: string[]
  /** What the model is called. Default: the server chooses. */
  model?: string
}

/** As many as a message may come with. */
export const CONNECTIONS_MAX = 20

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
