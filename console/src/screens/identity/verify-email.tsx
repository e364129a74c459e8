import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { call } from '../../api/call.ts'
import { outdate, queryClient, read } from '../../api/queries.ts'
import { useIsSignedIn } from '../../api/session.ts'
import { buttonLook } from '../../ui/button.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { NoToken, useMailedToken } from './mailed-token.tsx'
import { Outcome, Outside } from './outside.tsx'

export function VerifyEmail() {
  const token = useMailedToken()
  return token === undefined ? <NoToken /> : <Verification token={token} />
}

function Verification({ token }: { token: string }) {
  const isSignedIn = useIsSignedIn()
  // A query, since it begins by itself: however often this is drawn, the link is used once.
  const verified = useQuery({
    queryKey: ['email is verified', token],
    queryFn: async () => {
      await call('POST /api/auth/verify_email', { body: { token } })
      void outdate(queryClient, 'GET /api/users/me')
      return true
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  // Who opens the link twice is told the truth, and not that it was used.
  const me = useQuery({ ...read('GET /api/users/me', {}), enabled: isSignedIn && verified.isError })
  if (verified.data || me.data?.email_verified)
    return (
      <Outside title="Your email address is confirmed">
        <Outcome icon={CircleCheck}>Thank you. Nothing else is to be done.</Outcome>
        <Link to="/" className={buttonLook('primary')}>
          {isSignedIn ? 'Go on' : 'Sign in'}
        </Link>
      </Outside>
    )
  if (verified.error && !me.isLoading)
    return (
      <Outside title="The address is not confirmed">
        <Failure error={verified.error} />
        <p className="text-sm text-muted">
          If you have confirmed it before, all is well. Else sign in, and have a new mail sent from your
          account.
        </p>
        <Link to={isSignedIn ? '/account' : '/sign_in'} className={buttonLook()}>
          {isSignedIn ? 'Your account' : 'Sign in'}
        </Link>
      </Outside>
    )
  return (
    <Outside title="Confirming your email address">
      <div role="status" aria-label="Loading">
        <Skeleton className="h-12" />
      </div>
    </Outside>
  )
}
