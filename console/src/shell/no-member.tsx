import type { Organization } from '@parley/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import { Menu } from 'lucide-react'
import { translator } from '../messages/index.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/states.tsx'

const t = translator('shell')

/** Shown if the user is no member of the organization in the URL. Offers one of their organizations, if any. */
export default function NoMember({ other }: { other: Organization | undefined }) {
  const navigate = useNavigate()
  return (
    <Empty
      icon={Menu}
      title={t('noMember.title')}
      action={
        <Button onClick={() => void navigate({ to: '/', search: { org_id: other?.id } })}>
          {other ? t('noMember.go', { organization: other.name }) : t('noMember.goHome')}
        </Button>
      }
    >
      {t('noMember.reason')}
    </Empty>
  )
}
