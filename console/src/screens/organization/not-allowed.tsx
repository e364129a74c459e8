import { Lock } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { Empty } from '../../ui/states.tsx'

const t = translator('organization')

/** Replaces a screen that the user may not open. Without `permission`: a screen for system administrators. */
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
