import { CirclePause } from 'lucide-react'
import { translator } from '../messages/index.ts'

const t = translator('shell')

/** Tells members, above every page, that the organization is suspended, why, and what they can still do. */
export default function SuspensionNotice({ reason }: { reason: string }) {
  return (
    <div
      role="status"
      className="flex shrink-0 items-start gap-2.5 border-b border-line bg-warning-soft px-4 py-2.5 text-sm"
    >
      <CirclePause aria-hidden size={18} className="mt-px shrink-0 text-warning" />
      <p className="max-h-24 min-w-0 overflow-y-auto wrap-anywhere">
        {t.rich('suspension', {
          reason,
          title: (words) => <strong className="font-semibold">{words}</strong>,
        })}
      </p>
    </div>
  )
}
