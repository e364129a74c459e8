import type { Webhook } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, Webhook as WebhookIcon } from 'lucide-react'
import { useState } from 'react'
import { readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { formatTime } from '../../ui/format.ts'
import { Page } from '../../ui/page.tsx'
import { PagedList } from '../../ui/paged-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { RowsSkeleton } from '../../ui/table.tsx'
import { NotAllowed } from './not-allowed.tsx'
import { WebhookDialog } from './webhook-dialog.tsx'

const t = translator('webhooks')

export function Webhooks() {
  const { may } = useHere()
  const [isAdding, setAdding] = useState(false)
  const isAllowed = may('organization:admin')
  const add = isAllowed && (
    <Button kind="primary" icon={Plus} onClick={() => setAdding(true)}>
      {t('add')}
    </Button>
  )
  return (
    <Page title={t('title')} description={t('description')} actions={add}>
      {isAllowed ? <List add={add} /> : <NotAllowed permission="organization:admin" />}
      {isAdding && <WebhookDialog webhook={null} onClose={() => setAdding(false)} />}
    </Page>
  )
}

function List({ add }: { add: React.ReactNode }) {
  const { organization } = useHere()
  const webhooks = useInfiniteQuery(
    readPages('GET /api/webhooks/list', { org_id: organization.id, limit: 100 }),
  )
  return (
    <PagedList
      query={webhooks}
      skeleton={<RowsSkeleton />}
      empty={
        <Empty icon={WebhookIcon} title={t('empty')} action={add}>
          {t('emptyHint')}
        </Empty>
      }
    >
      {(list) => (
        <ul aria-label={t('title')} className="divide-y divide-line rounded-2xl border border-line bg-raised">
          {list.map((webhook) => (
            <WebhookItem key={webhook.id} webhook={webhook} />
          ))}
        </ul>
      )}
    </PagedList>
  )
}

const WebhookItem = ({ webhook }: { webhook: Webhook }) => (
  <li className="flex flex-col gap-1.5 px-4 py-3.5">
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Link
        to="/webhooks/$webhookId"
        params={{ webhookId: webhook.id }}
        className="reach min-w-0 font-medium break-all text-accent hover:underline"
      >
        {webhook.url}
      </Link>
      <WebhookState webhook={webhook} />
    </span>
    {webhook.description && <span className="text-sm break-words">{webhook.description}</span>}
    <span className="text-sm text-muted">{webhook.event_types.join(', ')}</span>
    {webhook.disabled_reason && <span className="text-sm text-danger">{webhook.disabled_reason}</span>}
    {webhook.is_enabled && webhook.failing_since && (
      <span className="text-sm text-warning">
        {t('failingSince', { time: formatTime(webhook.failing_since) })}
      </span>
    )}
  </li>
)

export function WebhookState({ webhook: { is_enabled, failing_since } }: { webhook: Webhook }) {
  if (!is_enabled) return <Badge tone="danger">{t('state.disabled')}</Badge>
  return failing_since ? (
    <Badge tone="warning">{t('state.failing')}</Badge>
  ) : (
    <Badge tone="success">{t('state.enabled')}</Badge>
  )
}
