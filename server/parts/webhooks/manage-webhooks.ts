import { eq } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { webhookEndpoints } from '#database/schema/webhooks.ts'
import { fail } from '#errors'
import { lockOrganization } from '#platform/access/organization-lock.ts'
import type { Scope } from '#platform/access/scope.ts'
import { eventOf, recordEvent } from '#platform/audit/audit.ts'
import { listRecords } from '#platform/http/list-records.ts'
import type { ListQuery, Page } from '#platform/http/pagination.ts'
import { type Net, NetError } from '#platform/net/index.ts'
import type { Services } from '#platform/services.ts'
import { failDisabled } from './claim-deliveries-system.ts'
import {
  type NewWebhook,
  viewWebhook,
  type WebhookChange,
  type WebhookRow,
  type WebhookView,
  type WebhookWithSecret,
} from './schemas.ts'
import { WEBHOOK } from './tables.ts'
import { newSecret } from './write-message.ts'

/** @limit webhooks of an organization */
const WEBHOOKS_MAX = 20
/** Time during which deliveries are also signed with the previous secret. */
const ROTATION_MS = 24 * 3_600_000

type Administrator = Scope<'organization:admin'>
type Dependencies = Pick<Services, 'net' | 'secrets'>

/** Creates an endpoint and returns its secret. Throws webhook.url_invalid, webhook.too_many, org.not_found. */
export async function createWebhook(
  { net, secrets }: Dependencies,
  scope: Administrator,
  { url, description = '', event_types: eventTypes }: NewWebhook,
): Promise<WebhookWithSecret> {
  checkUrl(net, url)
  const { organizationId, userId } = scope
  const id = newId()
  const secret = newSecret()
  const sealed = secrets.encrypt(secret, id)
  await scope.sql.begin(async (tx) => {
    // Serializes creations within an organization, so that concurrent creations cannot exceed the limit.
    await lockOrganization(tx, organizationId, 'members')
    const [row] = await tx<{ count: number }[]>`
      select count(*)::int as count from webhook_endpoints where organization_id = ${organizationId}`
    if ((row?.count ?? 0) >= WEBHOOKS_MAX) throw fail('webhook.too_many', { limit: WEBHOOKS_MAX })
    const [made] = await tx<Record<string, unknown>[]>`
      insert into webhook_endpoints (id, organization_id, url, description, event_types, secret, created_by)
      values (${id}, ${organizationId}, ${url}, ${description}, ${eventTypes}, ${sealed}, ${userId})
      returning *`
    const event = eventOf(WEBHOOK, null, made ?? null)
    if (event) await recordEvent(tx, organizationId, scope, event)
  })
  return { ...viewWebhook(await findWebhook(scope, id)), secret }
}

/** Returns the organization's endpoints, newest first. */
export const listWebhooks = (scope: Administrator, query: ListQuery): Promise<Page<WebhookView>> =>
  listRecords(scope, webhookEndpoints, { query, view: viewWebhook })

/**
 * Updates the given fields. Disabling an endpoint marks its pending deliveries as failed. An endpoint that is enabled
 * again receives only later events. Throws webhook.not_found, webhook.url_invalid.
 */
export async function updateWebhook(
  { net }: Dependencies,
  scope: Administrator,
  id: string,
  { url, description, event_types: eventTypes, is_enabled: isEnabled }: WebhookChange,
): Promise<WebhookView> {
  if (url !== undefined) checkUrl(net, url)
  const [row] = await scope.update(webhookEndpoints, eq(webhookEndpoints.id, id), {
    ...(url !== undefined && { url }),
    ...(description !== undefined && { description }),
    ...(eventTypes !== undefined && { eventTypes }),
    ...(isEnabled !== undefined && { isEnabled, disabledReason: null }),
    // Failures before the change must not count toward disabling the endpoint.
    ...((url !== undefined || isEnabled) && { failingSince: null }),
    updatedAt: new Date(),
  })
  const changed = found(row, id)
  if (isEnabled === false) await failDisabled(scope.sql, scope.organizationId, id)
  return viewWebhook(changed)
}

/** Deletes an endpoint and its deliveries. Throws webhook.not_found. */
export async function deleteWebhook(scope: Administrator, id: string): Promise<void> {
  const [deleted] = await scope.delete(webhookEndpoints, eq(webhookEndpoints.id, id))
  found(deleted, id)
}

/**
 * Creates a new secret and returns it. For 24 hours, deliveries are also signed with the previous secret; older
 * secrets are revoked. Throws webhook.not_found.
 */
export async function rotateSecret(
  { secrets }: Dependencies,
  scope: Administrator,
  id: string,
): Promise<WebhookWithSecret> {
  const secret = newSecret()
  const row = await scope.transaction(async (database) => {
    const isIt = eq(webhookEndpoints.id, id)
    const [before] = await database.select(webhookEndpoints, { where: isIt, lock: true })
    const [after] = await database.update(webhookEndpoints, isIt, {
      secret: secrets.encrypt(secret, id),
      previousSecret: found(before, id).secret,
      previousSecretUntil: new Date(Date.now() + ROTATION_MS),
      updatedAt: new Date(),
    })
    return found(after, id)
  })
  return { ...viewWebhook(row), secret }
}

/** Returns an endpoint. Throws webhook.not_found. */
export async function findWebhook(scope: Administrator, id: string): Promise<WebhookRow> {
  const [row] = await scope.select(webhookEndpoints, { where: eq(webhookEndpoints.id, id) })
  return found(row, id)
}

/**
 * Checks a URL without connecting to it. Each delivery also checks the resolved address. Throws webhook.url_invalid.
 */
export function checkUrl(net: Net, url: string): void {
  try {
    net.checkUrl(url)
  } catch (error) {
    if (error instanceof NetError) throw fail('webhook.url_invalid', { reason: error.message })
    throw error
  }
}

function found(row: WebhookRow | undefined, id: string): WebhookRow {
  if (!row) throw fail('webhook.not_found', { value: id })
  return row
}
