import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { read, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { NoToken, useMailedToken } from './mailed-token.tsx'
import { Outcome, Outside } from './outside.tsx'

const t = translator('identity')

/**
 * The page for leaving an organization. When someone adds a user to an organization, the user receives a link to this
 * page by email.
 */
export function Leave() {
  const token = useMailedToken()
  return token === undefined ? <NoToken /> : <Departure token={token} />
}

function Departure({ token }: { token: string }) {
  const link = useQuery({
    ...read('GET /api/org/get_leave_link', { token }),
    // Don't refetch: after the user has left, the token is no longer valid.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const leave = useChange('POST /api/org/leave_by_link', {
    outdates: ['GET /api/org/list', 'GET /api/users/me'],
  })
  if (link.error)
    return (
      <Outside title={t('leave.failedTitle')}>
        <Failure error={link.error} />
        <p className="text-sm text-muted">{t('leave.failedHint')}</p>
        <Link to="/" className={buttonLook()}>
          {t('goToParley')}
        </Link>
      </Outside>
    )
  if (!link.data)
    return (
      <Outside title={t('leave.action')}>
        <div role="status" aria-label={t('loading')}>
          <Skeleton className="h-12" />
        </div>
      </Outside>
    )
  const { name } = link.data.organization
  if (leave.isSuccess)
    return (
      <Outside title={t('leave.doneTitle', { name })}>
        <Outcome icon={CircleCheck}>{t('leave.done')}</Outcome>
        <Link to="/" className={buttonLook('primary')}>
          {t('continue')}
        </Link>
      </Outside>
    )
  return (
    <Outside title={t('leave.title', { name })}>
      <p>{t('leave.consequence')}</p>
      {leave.error && <Failure error={leave.error} />}
      <div className="flex flex-col gap-2">
        <Button kind="danger" busy={leave.isPending} onClick={() => leave.mutate({ body: { token } })}>
          {t('leave.action')}
        </Button>
        <Link to="/" className={buttonLook()}>
          {t('leave.cancel')}
        </Link>
      </div>
    </Outside>
  )
}
