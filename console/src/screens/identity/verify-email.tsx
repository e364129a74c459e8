import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, MailCheck } from 'lucide-react'
import { read, useChange } from '../../api/queries.ts'
import { useIsSignedIn } from '../../api/session.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { NoToken, useMailedToken } from './mailed-token.tsx'
import { Outcome, Outside } from './outside.tsx'

/** Confirms an address by a click, in a session of its account: opening the link alone does nothing. */
export function VerifyEmail() {
  const token = useMailedToken()
  const isSignedIn = useIsSignedIn()
  if (token === undefined) return <NoToken />
  return isSignedIn ? <Confirmation token={token} /> : <SignInFirst token={token} />
}

const SignInFirst = ({ token }: { token: string }) => (
  <Outside title="Confirm your email address">
    <Outcome icon={MailCheck}>Sign in to the account that you created with this address.</Outcome>
    <Link
      to="/sign_in"
      search={{ next: '/verify_email' }}
      state={{ token }}
      className={buttonLook('primary')}
    >
      Sign in
    </Link>
    <p className="text-sm text-muted">
      Didn’t create an account? Ignore the mail, and the address stays unconfirmed. To take the account over,{' '}
      <Link to="/forgot_password" className="font-medium text-accent underline">
        set a new password
      </Link>
      .
    </p>
  </Outside>
)

function Confirmation({ token }: { token: string }) {
  const me = useQuery(read('GET /api/users/me', {}))
  const verification = useChange('POST /api/auth/verify_email', { outdates: ['GET /api/users/me'] })
  if (verification.isSuccess || me.data?.email_verified) return <Confirmed />
  if (me.error)
    return (
      <Outside title="Confirm your email address">
        <Failure error={me.error} onRetry={() => void me.refetch()} />
      </Outside>
    )
  if (!me.data)
    return (
      <Outside title="Confirm your email address">
        <div role="status" aria-label="Loading">
          <Skeleton className="h-12" />
        </div>
      </Outside>
    )
  return (
    <Outside
      title="Confirm your email address"
      below={
        <Link to="/account" className="font-medium text-accent underline">
          Go to your account
        </Link>
      }
    >
      <p>
        You are signed in as <strong className="font-medium break-all">{me.data.email}</strong>.
      </p>
      {verification.error && <Failure error={verification.error} />}
      <Button
        kind="primary"
        busy={verification.isPending}
        onClick={() => verification.mutate({ body: { token } })}
      >
        Confirm address
      </Button>
    </Outside>
  )
}

const Confirmed = () => (
  <Outside title="Your email address is confirmed">
    <Outcome icon={CircleCheck}>You don’t need to do anything else.</Outcome>
    <Link to="/" className={buttonLook('primary')}>
      Continue
    </Link>
  </Outside>
)
