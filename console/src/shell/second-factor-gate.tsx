import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { queryClient, read } from '../api/queries.ts'
import { session } from '../api/session.ts'
import { Button, buttonLook } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, SkeletonList } from '../ui/states.tsx'
import { useHere } from './organization.tsx'

/** Pages that show nothing of an organization. */
const PERSONAL = ['/account', '/organizations/new']

/** Shows the page, or how to get to it where the organization requires a second factor that this session lacks. */
export function SecondFactorGate({ children }: { children: ReactNode }) {
  const { organization } = useHere()
  const { pathname } = useLocation()
  const isAsked = organization.require_second_factor && !PERSONAL.includes(pathname)
  const factors = useQuery({ ...read('GET /api/auth/factors', {}), enabled: isAsked })
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
      title="This organization requires a second factor"
      action={
        hasFactor ? (
          <Button kind="primary" onClick={signInAgain}>
            Sign in again
          </Button>
        ) : (
          <Link to="/account" className={buttonLook('primary')}>
            Set up second factor
          </Link>
        )
      }
    >
      {hasFactor
        ? 'You signed in without yours. Sign in again and use it.'
        : 'Add a passkey or an authenticator app to your account.'}
    </Empty>
  )
}
