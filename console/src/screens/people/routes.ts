import { createRoute } from '@tanstack/react-router'
import { appRoute } from '../../shell/app-route.tsx'
import { lateScreen } from '../../shell/late-screen.ts'
import { MEMBER_STATUSES, type MembersSearch, type RolesSearch } from './search-params.ts'

const members = createRoute({
  getParentRoute: () => appRoute,
  path: '/members',
  validateSearch: ({ q, status, page, create }: Record<string, unknown>): MembersSearch => {
    const known = MEMBER_STATUSES.find((one) => one === status)
    return {
      ...(typeof q === 'string' && q !== '' && { q }),
      ...(known && { status: known }),
      ...(typeof page === 'number' && Number.isInteger(page) && page > 1 && { page }),
      ...(create === true && { create }),
    }
  },
  component: lateScreen(() => import('./members.tsx'), 'Members'),
})

const roles = createRoute({
  getParentRoute: () => appRoute,
  path: '/roles',
  validateSearch: ({ q, role_id, permissions }: Record<string, unknown>): RolesSearch => ({
    ...(typeof q === 'string' && q !== '' && { q }),
    ...(typeof role_id === 'string' && { role_id }),
    ...(permissions === true && { permissions }),
  }),
  component: lateScreen(() => import('./roles.tsx'), 'Roles'),
})

export const peopleRoutes = [members, roles] as const
