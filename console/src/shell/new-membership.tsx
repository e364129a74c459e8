import type { Organization } from '@parley/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import { UserPlus } from 'lucide-react'
import { useChange } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Empty, Failure } from '../ui/states.tsx'

interface NewMembershipProps {
  organization: Organization
  onOpen: () => void
}

/** Shown before the first visit to an organization that someone else added the user to. */
export function NewMembership({ organization, onOpen }: NewMembershipProps) {
  const navigate = useNavigate()
  const leave = useChange('POST /api/org/leave', {
    outdates: ['GET /api/org/list', 'GET /api/users/me'],
    onDone: () => void navigate({ to: '/', search: {}, replace: true }),
  })
  return (
    <>
      <Empty
        icon={UserPlus}
        title={`You were added to ${organization.name}`}
        action={
          <span className="flex flex-wrap justify-center gap-2">
            <Button kind="primary" onClick={onOpen}>
              Open organization
            </Button>
            <Button
              busy={leave.isPending}
              onClick={() => leave.mutate({ query: { org_id: organization.id } })}
            >
              Leave organization
            </Button>
          </span>
        }
      >
        Its members see your name and email address after you open it.
      </Empty>
      {leave.error && <Failure error={leave.error} />}
    </>
  )
}
