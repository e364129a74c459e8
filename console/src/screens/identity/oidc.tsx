import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { buttonLook } from '../../ui/button.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { useMailedToken } from './mailed-token.tsx'
import { Outside } from './outside.tsx'
import { takeNext, useEnter } from './sign-in.tsx'

/** The way back from the OpenID provider. */
export function Oidc() {
  const { error } = useSearch({ from: '/oidc' })
  const code = useMailedToken()
  if (code !== undefined) return <Exchange code={code} />
  return <NotSignedIn error={new Error(error ?? 'This sign-in was not begun here.')} />
}

function Exchange({ code }: { code: string }) {
  const enter = useEnter(takeNext)
  // A query, since it begins by itself: however often this is drawn, the code is used once.
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
    <Outside title="Signing you in">
      <div role="status" aria-label="Loading">
        <Skeleton className="h-12" />
      </div>
    </Outside>
  )
}

const NotSignedIn = ({ error }: { error: Error }) => (
  <Outside title="You are not signed in">
    <Failure error={error} />
    <a href="/api/auth/oidc/start" className={buttonLook('primary')}>
      Try again
    </a>
    <Link to="/sign_in" className={buttonLook()}>
      Sign in another way
    </Link>
  </Outside>
)
