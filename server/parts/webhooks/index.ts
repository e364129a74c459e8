import type { Route } from '#platform/http/define-route.ts'
import type { Services } from '#platform/services.ts'
import { deleteOlderThan, type RetentionRule } from '#platform/sweeps/retention.ts'
import { webhookRoutes } from './routes.ts'
import { Sender } from './sender.ts'
import type { DeliveryTimes } from './try-delivery.ts'

export { describeEvents } from './describe-events.ts'
export { checkUrl } from './manage-webhooks.ts'
export { NewWebhook } from './schemas.ts'
export { webhookTables } from './tables.ts'
export type { DeliveryTimes } from './try-delivery.ts'
export { newSecret } from './write-message.ts'

const DAY_SECONDS = 86_400

/** Deliveries older than `days`; 0 keeps them. */
export const deliveryRetention = (days: number): RetentionRule[] =>
  days === 0
    ? []
    : [deleteOlderThan({ table: 'webhook_deliveries', column: 'created_at' }, days * DAY_SECONDS)]

/** The routes that manage webhooks, and the sender that delivers events. */
export interface Webhooks {
  routes: Route[]
  sender: Pick<Sender, 'start' | 'stop'>
}

export function createWebhooks(services: Services, times?: Partial<DeliveryTimes>): Webhooks {
  const sender = new Sender(services, times)
  return { routes: webhookRoutes(services, sender), sender }
}
