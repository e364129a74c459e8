import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { read, useChange } from '../../api/queries.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { NoToken, useMailedToken } from './mailed-token.tsx'
import { Outcome, Outside } from './outside.tsx'

/** Leaves an organization by the link that was mailed when the user was added to it. */
export function Leave() {
  const token = useMailedToken()
  return token === undefined ? <NoToken /> : <Departure token={token} />
}

function Departure({ token }: { token: string }) {
  const link = useQuery({
    ...read('GET /api/org/leave_link', { token }),
    // The link is gone once it was used.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const leave = useChange('POST /api/org/leave_link', {
    outdates: ['GET /api/org/list', 'GET /api/users/me'],
  })
  if (link.error)
    return (
      <Outside title="This link doesn’t work">
        <Failure error={link.error} />
        <p className="text-sm text-muted">You can also leave an organization in its settings.</p>
        <Link to="/" className={buttonLook()}>
          Go to Parley
        </Link>
      </Outside>
    )
  if (!link.data)
    return (
      <Outside title="Leave organization">
        <div role="status" aria-label="Loading">
          <Skeleton className="h-12" />
        </div>
      </Outside>
    )
  const { name } = link.data.organization
  if (leave.isSuccess)
    return (
      <Outside title={`You left ${name}`}>
        <Outcome icon={CircleCheck}>You are no longer a member.</Outcome>
        <Link to="/" className={buttonLook('primary')}>
          Continue
        </Link>
      </Outside>
    )
  return (
    <Outside title={`Leave ${name}?`}>
      <p>You lose access immediately. To come back, you need an invitation.</p>
      {leave.error && <Failure error={leave.error} />}
      <div className="flex flex-col gap-2">
        <Button kind="danger" busy={leave.isPending} onClick={() => leave.mutate({ body: { token } })}>
          Leave organization
        </Button>
        <Link to="/" className={buttonLook()}>
          Cancel
        </Link>
      </div>
    </Outside>
  )
}
