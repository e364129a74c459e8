import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, MailCheck } from 'lucide-react'
import { read, useChange } from '../../api/queries.ts'
import { useIsSignedIn } from '../../api/session.ts'
import { translator } from '../../messages/index.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { NoToken, useMailedToken } from './mailed-token.tsx'
import { Outcome, Outside } from './outside.tsx'

const t = translator('identity')

/**
 * Confirms an email address when the user clicks a button and is signed in to its account. Opening the link alone has
 * no effect.
 */
export function VerifyEmail() {
  const token = useMailedToken()
  const isSignedIn = useIsSignedIn()
  if (token === undefined) return <NoToken />
  return isSignedIn ? <Confirmation token={token} /> : <SignInFirst token={token} />
}

const SignInFirst = ({ token }: { token: string }) => (
  <Outside title={t('verify.title')}>
    <Outcome icon={MailCheck}>{t('verify.signInFirst')}</Outcome>
    <Link
      to="/sign_in"
      search={{ next: '/verify_email' }}
      state={{ token }}
      className={buttonLook('primary')}
    >
      {t('signIn.submit')}
    </Link>
    <p className="text-sm text-muted">
      {t.rich('verify.notYours', {
        link: (text) => (
          <Link to="/forgot_password" className="font-medium text-accent underline">
            {text}
          </Link>
        ),
      })}
    </p>
  </Outside>
)

function Confirmation({ token }: { token: string }) {
  const me = useQuery(read('GET /api/users/me', {}))
  const verification = useChange('POST /api/auth/verify_email', { outdates: ['GET /api/users/me'] })
  if (verification.isSuccess || me.data?.email_verified) return <Confirmed />
  if (me.error)
    return (
      <Outside title={t('verify.title')}>
        <Failure error={me.error} onRetry={() => void me.refetch()} />
      </Outside>
    )
  if (!me.data)
    return (
      <Outside title={t('verify.title')}>
        <div role="status" aria-label={t('loading')}>
          <Skeleton className="h-12" />
        </div>
      </Outside>
    )
  return (
    <Outside
      title={t('verify.title')}
      below={
        <Link to="/account" className="font-medium text-accent underline">
          {t('verify.account')}
        </Link>
      }
    >
      <p>
        {t.rich('verify.signedInAs', {
          email: me.data.email,
          address: (text) => <strong className="font-medium wrap-anywhere">{text}</strong>,
        })}
      </p>
      {verification.error && <Failure error={verification.error} />}
      <Button
        kind="primary"
        busy={verification.isPending}
        onClick={() => verification.mutate({ body: { token } })}
      >
        {t('verify.submit')}
      </Button>
    </Outside>
  )
}

const Confirmed = () => (
  <Outside title={t('verify.doneTitle')}>
    <Outcome icon={CircleCheck}>{t('verify.done')}</Outcome>
    <Link to="/" className={buttonLook('primary')}>
      {t('continue')}
    </Link>
  </Outside>
)
