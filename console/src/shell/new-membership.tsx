import type { Organization } from '@parley/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import { UserPlus } from 'lucide-react'
import { useChange } from '../api/queries.ts'
import { translator } from '../messages/index.ts'
import { Button } from '../ui/button.tsx'
import { Empty, Failure } from '../ui/states.tsx'

const t = translator('shell')

interface NewMembershipProps {
  organization: Organization
  onOpen: () => void
}

/** Shown when a user first opens an organization that someone else added them to. The user can leave right away. */
export default function NewMembership({ organization, onOpen }: NewMembershipProps) {
  const navigate = useNavigate()
  const leave = useChange('POST /api/org/leave', {
    outdates: ['GET /api/org/list', 'GET /api/users/me'],
    onDone: () => void navigate({ to: '/', search: {}, replace: true }),
  })
  return (
    <>
      <Empty
        icon={UserPlus}
        title={t('membership.added', { organization: organization.name })}
        action={
          <span className="flex flex-wrap justify-center gap-2">
            <Button kind="primary" onClick={onOpen}>
              {t('membership.open')}
            </Button>
            <Button
              busy={leave.isPending}
              onClick={() => leave.mutate({ query: { org_id: organization.id } })}
            >
              {t('membership.leave')}
            </Button>
          </span>
        }
      >
        {t('membership.privacy')}
      </Empty>
      {leave.error && <Failure error={leave.error} />}
    </>
  )
}
