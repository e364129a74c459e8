import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { translator } from '../../messages/index.ts'
import { buttonLook } from '../../ui/button.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { useMailedToken } from './mailed-token.tsx'
import { Outside } from './outside.tsx'
import { takeNext, useEnter } from './sign-in.tsx'

const t = translator('identity')

/** The page to which the server redirects after sign-in with an OpenID provider. */
export function Oidc() {
  const { error } = useSearch({ from: '/oidc' })
  const code = useMailedToken()
  if (code !== undefined) return <Exchange code={code} />
  return <NotSignedIn error={new Error(error ?? t('oidc.notStarted'))} />
}

function Exchange({ code }: { code: string }) {
  const enter = useEnter(takeNext)
  // Uses a query instead of a mutation, because the exchange starts without a click and must run only once.
  const exchanged = useQuery({
    queryKey: ['signed in with the OpenID provider', code],
    queryFn: async () => {
      enter(await api.request('POST /api/auth/oidc/exchange', { body: { code, session: 'cookie' } }))
      return true
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (exchanged.error) return <NotSignedIn error={exchanged.error} />
  return (
    <Outside title={t('oidc.title')}>
      <div role="status" aria-label={t('loading')}>
        <Skeleton className="h-12" />
      </div>
    </Outside>
  )
}

const NotSignedIn = ({ error }: { error: Error }) => (
  <Outside title={t('oidc.failedTitle')}>
    <Failure error={error} />
    <a href="/api/auth/oidc/start" className={buttonLook('primary')}>
      {t('oidc.retry')}
    </a>
    <Link to="/sign_in" className={buttonLook()}>
      {t('oidc.otherWay')}
    </Link>
  </Outside>
)
