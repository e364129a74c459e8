import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../shell/app-route.tsx'

const home = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./home.tsx'), 'Home'),
})

export const homeRoutes = [home] as const
