import type { Call, Fixture } from './access-matrix.ts'

const inOrganization = ({ organizationId }: Fixture): Call => ({ query: { org_id: organizationId } })
const oneWebhook = ({ webhookId }: Fixture): Call => ({ query: { webhook_id: webhookId } })

/** The access matrix (access-matrix.ts) for webhooks. */
export const WEBHOOKS: Record<string, [allowed: string, call: (fixture: Fixture) => Call]> = {
  post_webhooks_create: [
    'OA',
    (fixture) => ({
      ...inOrganization(fixture),
      body: { url: 'https://hooks.example.com', event_types: ['conversation.updated'] },
    }),
  ],
  get_webhooks_list: ['OA', inOrganization],
  put_webhooks_update: ['OA', (fixture) => ({ ...oneWebhook(fixture), body: { description: 'x' } })],
  delete_webhooks_delete: ['OA', oneWebhook],
  post_webhooks_rotate_secret: ['OA', oneWebhook],
  post_webhooks_test: ['OA', oneWebhook],
  get_webhooks_deliveries: ['OA', oneWebhook],
  post_webhooks_redeliver: [
    'OA',
    ({ webhookId }) => ({ query: { webhook_id: webhookId, delivery_id: `msg_${crypto.randomUUID()}` } }),
  ],
}
