import { and, eq } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { minuteLimits } from '#database/schema/ledger.ts'
import type { TenantTransaction } from '#database/tenant-sql.ts'
import { fail, sentence } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { eventOf, recordEvent } from '#platform/audit/audit.ts'
import { listRecords } from '#platform/http/list-records.ts'
import type { ListQuery, Page } from '#platform/http/pagination.ts'
import { isOrNull, keepSubject } from './keep-subject.ts'
import { type LimitView, type NewLimit, viewLimit } from './limit-schemas.ts'
import { LIMIT } from './tables.ts'

/** Returns the limits per minute of an organization, newest first. */
export const listLimits = (scope: Scope<'organization:read'>, query: ListQuery): Promise<Page<LimitView>> =>
  listRecords(scope, minuteLimits, { query, view: viewLimit })

/** Returns the limits of a member, an API key or a model, or an empty object if it has none. */
export async function readLimit(
  scope: Scope<'organization:admin'>,
  { user_id: userId, api_key_id: apiKeyId, model_id: modelId }: NewLimit,
): Promise<LimitView | object> {
  const [row] = await scope.select(minuteLimits, {
    where: and(
      isOrNull(minuteLimits.memberId, userId),
      isOrNull(minuteLimits.apiKeyId, apiKeyId),
      isOrNull(minuteLimits.modelId, modelId),
    ),
  })
  return row ? viewLimit(row) : {}
}

/**
 * Sets the limits per minute of a member, an API key or a model. Counts of the current minute stay. Throws
 * request.invalid, user.not_found, api_key.not_found, llm.not_found.
 */
export async function setLimit(
  scope: Scope<'organization:admin'>,
  { requests_per_minute: requests = null, tokens_per_minute: tokens = null, ...subject }: NewLimit,
): Promise<LimitView> {
  const [userId, apiKeyId, modelId] = [
    subject.user_id ?? null,
    subject.api_key_id ?? null,
    subject.model_id ?? null,
  ]
  if ([userId, apiKeyId, modelId].filter((id) => id !== null).length !== 1)
    throw fail('request.invalid', { reason: sentence('limit.one_subject') })
  if (requests === null && tokens === null) throw fail('request.invalid', { reason: sentence('limit.none') })
  const { organizationId } = scope
  const id = await scope.sql.begin(async (tx) => {
    await keepSubject(tx, organizationId, { userId, apiKeyId, modelId })
    // Locks the account, and shows waiting statements that they have missed a limit, as for budgets.
    await tx`
      update credit_accounts set budgets_version = budgets_version + 1 where organization_id = ${organizationId}`
    const before = await selectLimit(tx, organizationId, { userId, apiKeyId, modelId })
    await tx`
      insert into minute_limits
        (id, organization_id, user_id, api_key_id, model_id, requests_per_minute, tokens_per_minute, minute)
      values (${newId()}, ${organizationId}, ${userId}, ${apiKeyId}, ${modelId}, ${requests}, ${tokens},
        date_trunc('minute', now()))
      on conflict (organization_id, user_id, api_key_id, model_id) do update set updated_at = now(),
        requests_per_minute = excluded.requests_per_minute, tokens_per_minute = excluded.tokens_per_minute`
    const after = await selectLimit(tx, organizationId, { userId, apiKeyId, modelId })
    const event = eventOf(LIMIT, before, after)
    if (event) await recordEvent(tx, organizationId, scope, event)
    return after?.['id'] as string
  })
  const [row] = await scope.select(minuteLimits, { where: eq(minuteLimits.id, id) })
  // The row is missing if its subject was deleted after the transaction, because that deletes the limit, too.
  if (!row) throw fail('billing.limit_not_found', { value: id })
  return viewLimit(row)
}

/** Deletes a limit. Throws billing.limit_not_found. */
export async function deleteLimit(scope: Scope<'organization:admin'>, id: string): Promise<void> {
  const deleted = await scope.delete(minuteLimits, eq(minuteLimits.id, id))
  if (deleted.length === 0) throw fail('billing.limit_not_found', { value: id })
}

async function selectLimit(
  tx: TenantTransaction,
  organizationId: string,
  { userId, apiKeyId, modelId }: { userId: string | null; apiKeyId: string | null; modelId: string | null },
): Promise<Record<string, unknown> | null> {
  const [row = null] = await tx<Record<string, unknown>[]>`
    select id, user_id, api_key_id, model_id, requests_per_minute, tokens_per_minute::float8 from minute_limits
    where organization_id = ${organizationId} and user_id is not distinct from ${userId}::uuid
      and api_key_id is not distinct from ${apiKeyId}::uuid and model_id is not distinct from ${modelId}::uuid`
  return row
}
