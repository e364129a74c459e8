import { ParleyError } from '@parley/client'
import type { User, ValidInvitation } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { read } from '../../api/queries.ts'
import { useIsSignedIn } from '../../api/session.ts'
import { translator } from '../../messages/index.ts'
import { formatDate } from '../../ui/format.ts'
import { roleName } from '../../ui/role-name.ts'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { NoToken, useMailedToken } from './mailed-token.tsx'
import { Outside } from './outside.tsx'

const t = translator('identity')

interface InvitationProps {
  children: (invitation: ValidInvitation, token: string) => ReactNode
}

/**
 * Shows the invitation that the mailed token belongs to, and renders `children` below it. If the invitation cannot be
 * accepted, shows the reason instead.
 */
export function Invitation({ children }: InvitationProps) {
  const token = useMailedToken()
  const isSignedIn = useIsSignedIn()
  const invitation = useQuery({
    ...read('GET /api/invitations/validate', { token: token ?? '' }),
    enabled: token !== undefined,
    // Don't refetch while the user fills in the form. If the invitation has changed, accepting it fails with an
    // error.
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
      <Outside title={t('invitation.loadingTitle')}>
        <div role="status" aria-label={t('loading')} className="flex flex-col gap-3">
          <Skeleton className="h-12" />
          <Skeleton className="h-24" />
        </div>
      </Outside>
    )
  const { organization, inviter } = invitation.data
  const title = isOwn(invitation.data)
    ? t('invitation.ownTitle', { inviter: inviter ?? '' })
    : t('invitation.title', { organization: organization.name })
  return (
    <Outside title={title}>
      <Offer invitation={invitation.data} me={me.data} />
      {children(invitation.data, token)}
    </Outside>
  )
}

/** Returns whether the organization has its inviter's name, as personal organizations do. */
const isOwn = ({ inviter, organization }: ValidInvitation): boolean => inviter === organization.name

const messageOf = (invitation: ValidInvitation) => {
  if (isOwn(invitation)) return 'invitation.own'
  return invitation.inviter ? 'invitation.from' : 'invitation.unnamed'
}

function Offer({ invitation, me }: { invitation: ValidInvitation; me: User | undefined }) {
  const { inviter, organization, role, message, email, expires_at } = invitation
  return (
    <div className="flex flex-col gap-3">
      <p>
        {t.rich(messageOf(invitation), {
          inviter,
          organization: organization.name,
          role: roleName(role.name),
          name: (text) => <strong className="font-medium">{text}</strong>,
        })}
      </p>
      {message && (
        <blockquote className="border-l-2 border-line pl-3 text-sm break-words whitespace-pre-line text-muted">
          {message}
        </blockquote>
      )}
      <p className="text-sm text-muted">
        {t.rich('invitation.validity', {
          email,
          date: formatDate(expires_at),
          address: (text) => <span className="wrap-anywhere">{text}</span>,
        })}
      </p>
      {me && me.email !== email && (
        <p className="rounded-lg bg-warning-soft px-3 py-2 text-sm text-warning">
          {t.rich('invitation.otherAccount', {
            current: me.email,
            invited: email,
            address: (text) => <span className="wrap-anywhere">{text}</span>,
          })}
        </p>
      )}
    </div>
  )
}

/** Returns whether the server has rejected the invitation, so that a retry is useless. */
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
    title={t('invitation.refusedTitle')}
    below={
      <>
        {t('invitation.accepted')}{' '}
        <Link to={isSignedIn ? '/' : '/sign_in'} className="font-medium text-accent underline">
          {isSignedIn ? t('goToParley') : t('signIn.submit')}
        </Link>
      </>
    }
  >
    <Failure error={error} {...(isAnswer(error) ? {} : { onRetry })} />
    <p className="text-sm text-muted">{t('invitation.refusedHint')}</p>
  </Outside>
)
