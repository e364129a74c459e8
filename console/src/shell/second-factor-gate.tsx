import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { queryClient, read } from '../api/queries.ts'
import { session } from '../api/session.ts'
import { translator } from '../messages/index.ts'
import { Button, buttonLook } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Page } from '../ui/page.tsx'
import { Empty, SkeletonList } from '../ui/states.tsx'
import { useHere } from './organization.tsx'

const t = translator('shell')

/** Paths of pages that show no data of an organization. */
const PERSONAL = ['/account', '/organizations/new']
/** For the button with the console's longest label, which takes two lines on phones in some languages. */
const WRAPS_ON_PHONES =
  'max-w-full max-sm:h-auto max-sm:min-h-9 max-sm:py-1.5 max-sm:text-center max-sm:whitespace-normal'

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
      {factors.data ? <Required hasFactor={factors.data.factors.length > 0} /> : <SkeletonList lines={1} />}
    </Page>
  )
}

function Required({ hasFactor }: { hasFactor: boolean }) {
  const signInAgain = () => {
    session.signOut()
    queryClient.clear()
  }
  return (
    <Empty
      icon={ShieldCheck}
      title={t('secondFactor.title')}
      action={
        hasFactor ? (
          <Button kind="primary" onClick={signInAgain}>
            {t('secondFactor.signInAgain')}
          </Button>
        ) : (
          <Link to="/account" className={classNames(buttonLook('primary'), WRAPS_ON_PHONES)}>
            {t('secondFactor.setUp')}
          </Link>
        )
      }
    >
      {hasFactor ? t('secondFactor.unused') : t('secondFactor.none')}
    </Empty>
  )
}
