import { ParleyError } from '@parley/client'
import { Link } from '@tanstack/react-router'
import { CircleAlert, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useHere } from '../../shell/organization.tsx'
import { IconButton } from '../../ui/button.tsx'

/** Why a message was not taken, and what to do. It is still in the field. */
export const Refusal = ({ error, onClose }: { error: Error; onClose: () => void }) => (
  <div role="alert" className="flex items-start gap-2.5 rounded-xl bg-danger-soft py-2 pr-2 pl-4 text-sm">
    <CircleAlert aria-hidden size={17} className="mt-1 shrink-0 text-danger" />
    <p className="min-w-0 grow py-0.5 wrap-anywhere">
      <span className="text-danger">{error.message}</span> <Advice error={error} />
    </p>
    <IconButton small icon={X} label="Close" onClick={onClose} />
  </div>
)

function Advice({ error }: { error: Error }): ReactNode {
  const { may } = useHere()
  const status = error instanceof ParleyError ? error.status : null
  if (status === 402)
    return may('organization:read') ? (
      <>
        <Link to="/usage" className="font-medium underline">
          See the usage
        </Link>
        , or ask an administrator for more.
      </>
    ) : (
      'Ask an administrator of the organization for more.'
    )
  if (error instanceof ParleyError && error.code === 'chat.not_found')
    return (
      <>
        It may have been deleted.{' '}
        <Link to="/chats" className="font-medium underline">
          Begin a new chat
        </Link>
        .
      </>
    )
  return null
}
