import type { Webhook } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Webhook as WebhookIcon } from 'lucide-react'
import { readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Back } from '../../ui/back.tsx'
import { formatTime } from '../../ui/format.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { RowsSkeleton } from '../../ui/table.tsx'
import { Deliveries } from './deliveries.tsx'
import { NotAllowed } from './not-allowed.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookState } from './webhooks.tsx'

const t = translator('webhooks')

export function WebhookScreen() {
  const { organization, may } = useHere()
  const { webhookId } = useParams({ from: '/app/webhooks/$webhookId' })
  const webhooks = useInfiniteQuery({
    ...readPages('GET /api/webhooks/list', { org_id: organization.id, limit: 100 }),
    enabled: may('organization:admin'),
  })
  const webhook = webhooks.data?.find(({ id }) => id === webhookId)
  return (
    <Page
      title={t('page.title')}
      description={webhook && <Address webhook={webhook} />}
      actions={webhook && <WebhookActions webhook={webhook} />}
      above={<Back to="/webhooks">{t('title')}</Back>}
    >
      {!may('organization:admin') ? (
        <NotAllowed permission="organization:admin" />
      ) : (
        <Loaded query={webhooks} skeleton={<RowsSkeleton />}>
          {() =>
            webhook ? (
              <>
                <Trouble webhook={webhook} />
                <Deliveries webhook={webhook} />
              </>
            ) : (
              <Empty icon={WebhookIcon} title={t('page.notFound')}>
                {t('page.notFoundHint')}
              </Empty>
            )
          }
        </Loaded>
      )}
    </Page>
  )
}

const Address = ({ webhook }: { webhook: Webhook }) => (
  <span className="flex flex-col gap-1">
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="min-w-0 font-medium break-all text-ink">{webhook.url}</span>
      <WebhookState webhook={webhook} />
    </span>
    {webhook.description && <span className="break-words">{webhook.description}</span>}
    <span className="text-sm">{t('page.events', { events: webhook.event_types.join(', ') })}</span>
  </span>
)

function Trouble({ webhook: { is_enabled, disabled_reason, failing_since } }: { webhook: Webhook }) {
  if (is_enabled && !failing_since) return null
  return (
    <p
      role="status"
      className={`rounded-xl px-4 py-3 text-sm ${
        is_enabled ? 'bg-warning-soft text-warning' : 'bg-danger-soft text-danger'
      }`}
    >
      {!is_enabled &&
        (disabled_reason === null
          ? t('page.disabledByMember')
          : t('page.disabled', { reason: disabled_reason }))}
      {is_enabled && failing_since && t('page.failing', { time: formatTime(failing_since) })}
    </p>
  )
}
