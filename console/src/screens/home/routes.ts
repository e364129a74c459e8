import { createRoute } from '@tanstack/react-router'
import { appRoute } from '../../shell/app-route.tsx'
import { lateScreen } from '../../shell/late-screen.ts'

const home = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  component: lateScreen(() => import('./home.tsx'), 'Home', { text: 'first' }),
})

export const homeRoutes = [home] as const
