import { Brain } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { Fold } from '../../ui/fold.tsx'

const t = translator('chat')

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
  const title = isUnderWay
    ? t('reply.thinking')
    : seconds === null
      ? t('reply.reasoning')
      : t('reply.thought', { seconds })
  return (
    <Fold icon={Brain} title={title} isBusy={isUnderWay}>
      <p className="text-sm text-muted wrap-anywhere whitespace-pre-wrap">{text}</p>
    </Fold>
  )
}
