import { afterCommit } from '#database/ambient.ts'
import { and, desc, eq, sql } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { webhookDeliveries } from '#database/schema/webhooks.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import { findWebhook } from './manage-webhooks.ts'
import {
  type DeliveryRow,
  type DeliveryView,
  deliveryIdOf,
  TEST_EVENT_TYPE,
  viewDelivery,
} from './schemas.ts'
import type { Sender } from './sender.ts'

type Administrator = Scope<'organization:admin'>

interface DeliveryQuery {
  webhook_id: string
  status?: DeliveryRow['status']
  event_type?: string
  limit?: number
  cursor?: string
}

const { id, endpointId, sequence, status, eventType } = webhookDeliveries

/** Returns the deliveries of an endpoint, newest first. */
export const listDeliveries = (scope: Administrator, query: DeliveryQuery): Promise<Page<DeliveryView>> =>
  readPage(
    query,
    (below, count) =>
      scope.select(webhookDeliveries, {
        where: and(
          eq(endpointId, query.webhook_id),
          query.status === undefined ? undefined : eq(status, query.status),
          query.event_type === undefined ? undefined : eq(eventType, query.event_type),
          below === undefined
            ? undefined
            : sql`${sequence} < (select last.sequence from ${webhookDeliveries} as last
                where last.id = ${below} and last.endpoint_id = ${query.webhook_id}
                  and last.organization_id = ${scope.organizationId})`,
        ),
        orderBy: [desc(sequence)],
        limit: count,
      }),
    viewDelivery,
  )

/**
 * Queues a delivery for an immediate attempt, whatever its status. The id stays the same, and the number of attempts
 * restarts at 0. Throws webhook.not_found, webhook.disabled, webhook.delivery_not_found.
 */
export async function redeliver(
  sender: Sender,
  scope: Administrator,
  webhookId: string,
  messageId: string,
): Promise<DeliveryView> {
  if (!(await findWebhook(scope, webhookId)).isEnabled) throw fail('webhook.disabled')
  const isIt = and(eq(endpointId, webhookId), eq(id, deliveryIdOf(messageId)))
  const now = new Date()
  const change = { status: 'pending', tries: 0, nextAttemptAt: now, updatedAt: now } as const
  const [row] = await scope.update(webhookDeliveries, isIt, change)
  if (!row) throw fail('webhook.delivery_not_found', { value: messageId })
  await afterCommit(() => sender.wake())
  return viewDelivery(row)
}

/**
 * Sends a test event once and returns the delivery. If the endpoint or the process is at its concurrency limit, the
 * event is queued and the returned delivery is pending. Throws webhook.disabled, and webhook.not_found if the
 * endpoint is deleted during the test.
 */
export async function testWebhook(
  sender: Sender,
  scope: Administrator,
  webhookId: string,
): Promise<DeliveryView> {
  const deliveryId = newId()
  const data = { webhook_id: webhookId, requested_by: scope.userId }
  // Inserts the delivery as already claimed by this process. If this process dies, another process attempts the
  // delivery after the claim expires.
  const made = await scope.sql`
    with endpoint as (
      update webhook_endpoints set last_sequence = last_sequence + 1
      where id = ${webhookId} and organization_id = ${scope.organizationId} and is_enabled
      returning id, organization_id, last_sequence)
    insert into webhook_deliveries (id, organization_id, endpoint_id, sequence, event_type, data, next_attempt_at)
    select ${deliveryId}, organization_id, id, last_sequence, ${TEST_EVENT_TYPE}, ${JSON.stringify(data)}::text::jsonb,
      now() + ${sender.leaseMs} * interval '1 millisecond'
    from endpoint`
  if (made.count === 0) throw fail('webhook.disabled')
  await sender.sendNow(scope, { id: deliveryId, endpointId: webhookId })
  const [row] = await scope.select(webhookDeliveries, { where: eq(id, deliveryId) })
  if (!row) throw fail('webhook.not_found', { value: webhookId })
  return viewDelivery(row)
}
