import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { read } from '../api/queries.ts'
import { loadChunk } from '../ui/chunks.ts'
import { Page } from '../ui/page.tsx'
import { SkeletonList } from '../ui/states.tsx'
import { useHere } from './organization.tsx'

/** Paths of pages that show no data of an organization. */
const PERSONAL = ['/account', '/organizations/new']
const SecondFactorRequired = lazy(() => loadChunk(() => import('./second-factor-required.tsx')))

/**
 * Renders `children`. If the organization requires a second factor that this session lacks, explains how to add or
 * use a second factor instead.
 */
export function SecondFactorGate({ children }: { children: ReactNode }) {
  const { organization } = useHere()
  const { pathname } = useLocation()
  const isAsked = organization.require_second_factor && !PERSONAL.includes(pathname)
  const factors = useQuery({ ...read('GET /api/auth/factors/list', {}), enabled: isAsked })
  if (!isAsked || factors.error || factors.data?.in_this_session) return children
  return (
    <Page title={organization.name}>
      <Suspense fallback={<SkeletonList lines={1} />}>
        {factors.data ? (
          <SecondFactorRequired hasFactor={factors.data.factors.length > 0} />
        ) : (
          <SkeletonList lines={1} />
        )}
      </Suspense>
    </Page>
  )
}
