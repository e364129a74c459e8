import { ParleyError } from '@parley/client'
import type { User, ValidInvitation } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { read } from '../../api/queries.ts'
import { useIsSignedIn } from '../../api/session.ts'
import { formatDate } from '../../ui/format.ts'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { NoToken, useMailedToken } from './mailed-token.tsx'
import { Outside } from './outside.tsx'

interface InvitationProps {
  children: (invitation: ValidInvitation, token: string) => ReactNode
}

/** Who invites whom to what, as the token says, and below it what accepting takes; or why it can't be accepted. */
export function Invitation({ children }: InvitationProps) {
  const token = useMailedToken()
  const isSignedIn = useIsSignedIn()
  const invitation = useQuery({
    ...read('GET /api/invitations/validate', { token: token ?? '' }),
    enabled: token !== undefined,
    // While somebody fills in the form it is not asked again; accepting tells.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const me = useQuery({ ...read('GET /api/users/me', {}), enabled: isSignedIn })
  if (token === undefined) return <NoToken />
  if (invitation.error)
    return (
      <Refused error={invitation.error} onRetry={() => void invitation.refetch()} isSignedIn={isSignedIn} />
    )
  if (!invitation.data || (isSignedIn && me.isLoading))
    return (
      <Outside title="Your invitation">
        <div role="status" aria-label="Loading" className="flex flex-col gap-3">
          <Skeleton className="h-12" />
          <Skeleton className="h-24" />
        </div>
      </Outside>
    )
  const { organization } = invitation.data
  return (
    <Outside title={`Join ${organization.name}`}>
      <Offer invitation={invitation.data} me={me.data} />
      {children(invitation.data, token)}
    </Outside>
  )
}

function Offer({ invitation, me }: { invitation: ValidInvitation; me: User | undefined }) {
  const { inviter, organization, role, message, email, expires_at } = invitation
  return (
    <div className="flex flex-col gap-3">
      <p>
        <strong className="font-medium">{inviter || 'Somebody'}</strong> invites you to{' '}
        <strong className="font-medium">{organization.name}</strong> as{' '}
        <strong className="font-medium">{role.name}</strong>.
      </p>
      {message && (
        <blockquote className="border-l-2 border-line pl-3 text-sm break-words whitespace-pre-line text-muted">
          {message}
        </blockquote>
      )}
      <p className="text-sm text-muted">
        For <span className="break-all">{email}</span>, until {formatDate(expires_at)}.
      </p>
      {me && me.email !== email && (
        <p className="rounded-lg bg-warning-soft px-3 py-2 text-sm text-warning">
          You are signed in as <span className="break-all">{me.email}</span>. When you join, you are signed in
          as <span className="break-all">{email}</span> instead.
        </p>
      )}
    </div>
  )
}

/** Of the server, and for good. */
const isAnswer = (error: Error): boolean =>
  error instanceof ParleyError && (error.status === 404 || error.status === 410)

const Refused = ({
  error,
  onRetry,
  isSignedIn,
}: {
  error: Error
  onRetry: () => void
  isSignedIn: boolean
}) => (
  <Outside
    title="This invitation can’t be accepted"
    below={
      <>
        Accepted it before?{' '}
        <Link to={isSignedIn ? '/' : '/sign_in'} className="font-medium text-accent underline">
          {isSignedIn ? 'Go to Parley' : 'Sign in'}
        </Link>
      </>
    }
  >
    <Failure error={error} {...(isAnswer(error) ? {} : { onRetry })} />
    <p className="text-sm text-muted">
      Each mail has a new link, and the ones before it stop working: use the newest, or ask for another.
    </p>
  </Outside>
)
