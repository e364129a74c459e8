import type { Webhook } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Inbox } from 'lucide-react'
import { readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { SelectField } from '../../ui/field.tsx'
import { PagedList } from '../../ui/paged-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { RowsSkeleton } from '../../ui/table.tsx'
import { DeliveryItem } from './delivery-item.tsx'
import { EVENT_TYPES, TEST_EVENT } from './event-types.ts'
import { DELIVERY_STATUSES, type DeliveriesSearch } from './search-params.ts'

const t = translator('webhooks')

const TYPES = [...EVENT_TYPES, TEST_EVENT] as const

/** A webhook's deliveries of the last 30 days, with all attempts. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { status, event_type } = useSearch({ from: '/app/webhooks/$webhookId' })
  const deliveries = useInfiniteQuery({
    ...readPages('GET /api/webhooks/deliveries', {
      webhook_id: webhook.id,
      status,
      event_type: TYPES.find((type) => type === event_type),
      limit: 20,
    }),
    // Poll while deliveries are pending.
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ data }) => data.some((one) => one.status === 'pending')) ? 5_000 : false,
  })
  return (
    <section aria-label={t('deliveries.title')} className="flex flex-col gap-3">
      <h2 className="font-semibold">{t('deliveries.title')}</h2>
      <Filters />
      <PagedList
        query={deliveries}
        skeleton={<RowsSkeleton rows={6} short />}
        empty={
          <Empty icon={Inbox} title={t('deliveries.empty')}>
            {t(status || event_type ? 'deliveries.noMatches' : 'deliveries.emptyHint')}
          </Empty>
        }
      >
        {(list) => (
          <ul
            aria-label={t('deliveries.title')}
            className="divide-y divide-line rounded-2xl border border-line bg-raised"
          >
            {list.map((delivery) => (
              <DeliveryItem key={delivery.id} delivery={delivery} isEnabled={webhook.is_enabled} />
            ))}
          </ul>
        )}
      </PagedList>
    </section>
  )
}

function Filters() {
  const { status, event_type } = useSearch({ from: '/app/webhooks/$webhookId' })
  const navigate = useNavigate({ from: '/webhooks/$webhookId' })
  const show = (change: DeliveriesSearch) =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true })
  return (
    <div className="flex flex-wrap gap-3">
      <div className="w-full sm:w-44">
        <SelectField
          label={t('deliveries.status')}
          value={status ?? ''}
          onChange={({ target }) => show({ status: DELIVERY_STATUSES.find((one) => one === target.value) })}
        >
          <option value="">{t('deliveries.all')}</option>
          {DELIVERY_STATUSES.map((one) => (
            <option key={one} value={one}>
              {t(`deliveryStatus.${one}`)}
            </option>
          ))}
        </SelectField>
      </div>
      <div className="w-full sm:w-80">
        <SelectField
          label={t('deliveries.event')}
          value={event_type ?? ''}
          onChange={({ target }) => show({ event_type: target.value || undefined })}
        >
          <option value="">{t('deliveries.all')}</option>
          {TYPES.map((type) => (
            <option key={type} value={type}>
              {type}
            </option>
          ))}
        </SelectField>
      </div>
    </div>
  )
}
