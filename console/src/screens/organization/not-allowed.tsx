import { Lock } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { Empty } from '../../ui/states.tsx'

const t = translator('organization')

/**
 * Replaces a page that the user may not open. Names the missing permission. If `permission` is omitted, the page is
 * for system administrators only.
 */
export const NotAllowed = ({ permission }: { permission?: string }) => (
  <Empty icon={Lock} title={t('notAllowed.title')}>
    {permission === undefined
      ? t('notAllowed.administrator')
      : t.rich('notAllowed.permission', {
          name: permission,
          permission: (name) => <code className="font-mono">{name}</code>,
        })}
  </Empty>
)
