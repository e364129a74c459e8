import type { WebhookDelivery } from '@parley/client/schemas'
import { ChevronRight, RotateCw } from 'lucide-react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Snippet } from '../../ui/copy.tsx'
import { formatTime } from '../../ui/format.ts'
import { Ago } from '../../ui/time.tsx'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('webhooks')

const TONES: Record<WebhookDelivery['status'], Tone> = {
  pending: 'accent',
  delivered: 'success',
  failed: 'danger',
}

interface DeliveryItemProps {
  delivery: WebhookDelivery
  /** Whether the webhook is enabled. A disabled webhook's deliveries cannot be sent again. */
  isEnabled: boolean
}

/** A delivery in the list. Expands to show its attempts and its payload. */
export function DeliveryItem({ delivery, isEnabled }: DeliveryItemProps) {
  return (
    <li>
      <details className="group">
        <summary className="flex list-none flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 text-sm hover:bg-hover">
          <ChevronRight aria-hidden size={15} className="text-muted group-open:rotate-90" />
          <Badge tone={TONES[delivery.status]}>{t(`deliveryStatus.${delivery.status}`)}</Badge>
          <code className="min-w-0 grow font-mono break-all">{delivery.event_type}</code>
          <span className="text-muted tabular-nums">
            {t('delivery.sequence', { number: delivery.sequence })}
          </span>
          <span className="text-muted">
            <Ago time={delivery.created_at} />
          </span>
        </summary>
        <div className="flex flex-col gap-3 px-4 pb-4">
          <Attempts delivery={delivery} />
          <Snippet label={t('delivery.data')} code={JSON.stringify(delivery.data, null, 2)} />
          <Redeliver delivery={delivery} isEnabled={isEnabled} />
        </div>
      </details>
    </li>
  )
}

const Attempts = ({ delivery: { id, attempts, next_attempt_at } }: { delivery: WebhookDelivery }) => (
  <div className="flex flex-col gap-1 text-sm">
    <p className="text-muted">
      webhook-id <code className="font-mono break-all">{id}</code>
    </p>
    <ol aria-label={t('delivery.attempts')} className="flex flex-col gap-1">
      {attempts.map(({ at, response_status, error, duration_ms }) => (
        <li key={at} className="flex flex-wrap gap-x-3">
          <span className="text-muted">{formatTime(at)}</span>
          <span className="break-words">
            {error
              ? t('delivery.failed', { error, ms: duration_ms })
              : t('delivery.responded', { status: String(response_status), ms: duration_ms })}
          </span>
        </li>
      ))}
    </ol>
    {attempts.length === 0 && <p className="text-muted">{t('delivery.noAttempts')}</p>}
    {next_attempt_at && (
      <p className="text-muted">{t('delivery.nextAttempt', { time: formatTime(next_attempt_at) })}</p>
    )}
  </div>
)

function Redeliver({ delivery, isEnabled }: DeliveryItemProps) {
  const notify = useNotify()
  const again = useChange('POST /api/webhooks/redeliver', {
    outdates: ['GET /api/webhooks/deliveries', 'GET /api/webhooks/list'],
    onDone: () => notify(t('delivery.redelivering')),
  })
  const query = { webhook_id: delivery.webhook_id, delivery_id: delivery.id }
  return (
    <Button
      size="small"
      icon={RotateCw}
      busy={again.isPending}
      disabled={!isEnabled || delivery.status === 'pending'}
      title={isEnabled ? undefined : t('delivery.disabled')}
      onClick={() => again.mutate({ query }, { onError: notify })}
      className="self-start"
    >
      {t('delivery.redeliver')}
    </Button>
  )
}
