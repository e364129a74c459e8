import { ParleyError } from '@parley/client'
import { Link } from '@tanstack/react-router'
import { CircleAlert, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { IconButton } from '../../ui/button.tsx'
import { refusalText } from './refusal-text.ts'

const t = translator('chat')

/** Explains why the server refused a message and what the user can do. The message is back in the composer. */
export const Refusal = ({ error, onClose }: { error: Error; onClose: () => void }) => (
  <div role="alert" className="flex items-start gap-2.5 rounded-xl bg-danger-soft py-2 pr-2 pl-4 text-sm">
    <CircleAlert aria-hidden size={17} className="mt-1 shrink-0 text-danger" />
    <p className="min-w-0 grow py-0.5 wrap-anywhere">
      <span className="text-danger">{refusalText(error)}</span> <Advice error={error} />
    </p>
    <IconButton small icon={X} label={t('errors.close')} onClick={onClose} />
  </div>
)

function Advice({ error }: { error: Error }): ReactNode {
  const { may } = useHere()
  const status = error instanceof ParleyError ? error.status : null
  if (status === 402)
    return may('organization:read')
      ? t.rich('errors.overBudgetUsage', { link: (text) => <AdviceLink to="/usage">{text}</AdviceLink> })
      : t('errors.overBudget')
  if (error instanceof ParleyError && error.code === 'chat.not_found')
    return t.rich('errors.notFound', { link: (text) => <AdviceLink to="/chats">{text}</AdviceLink> })
  return null
}

const AdviceLink = ({ to, children }: { to: '/usage' | '/chats'; children: ReactNode }) => (
  <Link to={to} className="font-medium underline">
    {children}
  </Link>
)
