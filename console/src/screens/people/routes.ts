import { createRoute } from '@tanstack/react-router'
import { appRoute } from '../../shell/app-route.tsx'
import { lateScreen } from '../../shell/late-screen.ts'

export const MEMBER_STATUSES = ['active', 'pending', 'expired', 'suspended'] as const

export interface MembersSearch {
  q?: string
  status?: (typeof MEMBER_STATUSES)[number]
  /** From 1. */
  page?: number
}

const members = createRoute({
  getParentRoute: () => appRoute,
  path: '/members',
  validateSearch: ({ q, status, page }: Record<string, unknown>): MembersSearch => {
    const known = MEMBER_STATUSES.find((one) => one === status)
    return {
      ...(typeof q === 'string' && q !== '' && { q }),
      ...(known && { status: known }),
      ...(typeof page === 'number' && Number.isInteger(page) && page > 1 && { page }),
    }
  },
  component: lateScreen(() => import('./members.tsx'), 'Members'),
})

export interface RolesSearch {
  /** The one that is open; `new`: one to be made. */
  role_id?: string
  permissions?: boolean
}

const roles = createRoute({
  getParentRoute: () => appRoute,
  path: '/roles',
  validateSearch: ({ role_id, permissions }: Record<string, unknown>): RolesSearch => ({
    ...(typeof role_id === 'string' && { role_id }),
    ...(permissions === true && { permissions }),
  }),
  component: lateScreen(() => import('./roles.tsx'), 'Roles'),
})

export const peopleRoutes = [members, roles] as const
