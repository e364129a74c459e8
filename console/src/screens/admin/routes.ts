import { createRoute } from '@tanstack/react-router'
import { appRoute } from '../../shell/app-route.tsx'
import { lateScreen } from '../../shell/late-screen.ts'
import { ADMIN_TABS, type AdminSearch } from './search-params.ts'

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const admin = createRoute({
  getParentRoute: () => appRoute,
  path: '/admin',
  validateSearch: ({ tab, q, organization }: Record<string, unknown>): AdminSearch => ({
    tab: ADMIN_TABS.find((name) => name === tab),
    q: text(q),
    organization: text(organization),
  }),
  component: lateScreen(() => import('./admin.tsx'), 'Admin'),
})

export const adminRoutes = [admin] as const
