import type { Route } from '#platform/http/define-route.ts'
import type { Rooms } from '#platform/rooms.ts'
import { webhookRoutes } from './routes.ts'
import { Sender } from './sender.ts'
import type { DeliveryTimes } from './try-delivery.ts'

export { checkUrl } from './manage-webhooks.ts'
export { NewWebhook } from './schemas.ts'
export type { DeliveryTimes } from './try-delivery.ts'
export { newSecret } from './write-message.ts'

/** Webhooks: their routes, and what sends events to them while the process runs. */
export interface Webhooks {
  routes: Route[]
  sender: Pick<Sender, 'start' | 'stop'>
}

export function createWebhooks(rooms: Rooms, times?: Partial<DeliveryTimes>): Webhooks {
  const sender = new Sender(rooms, times)
  return { routes: webhookRoutes(rooms, sender), sender }
}
