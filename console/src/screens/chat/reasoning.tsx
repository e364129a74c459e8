import { Brain } from 'lucide-react'
import { Fold } from '../../ui/fold.tsx'

/** What a model has thought before it answered. */
export function Reasoning({
  text,
  isUnderWay,
  thoughtMs,
}: {
  text: string
  isUnderWay: boolean
  thoughtMs: number | null
}) {
  const seconds = thoughtMs === null ? null : Math.max(1, Math.round(thoughtMs / 1_000))
  const title = isUnderWay ? 'Thinking…' : seconds === null ? 'Thought first' : `Thought for ${seconds} s`
  return (
    <Fold icon={Brain} title={title} isBusy={isUnderWay}>
      <p className="text-sm text-muted wrap-anywhere whitespace-pre-wrap">{text}</p>
    </Fold>
  )
}
