import { eq, isNull, type PgColumn, type SQL } from '#database/drizzle.ts'
import type { TenantTransaction } from '#database/tenant-sql.ts'
import { fail } from '#errors'

/** The subject of a budget or limit. Exactly one id is set. */
interface Subject {
  userId: string | null
  apiKeyId: string | null
  modelId: string | null
}

/** Matches the rows of a subject. All columns of the other subjects are null. */
export const isOrNull = (column: PgColumn, id: string | null | undefined): SQL =>
  id ? eq(column, id) : isNull(column)

/**
 * Locks the subject until the transaction ends. Deleting it would delete the budget or limit, too. Throws
 * user.not_found, api_key.not_found, llm.not_found.
 */
export async function keepSubject(
  tx: TenantTransaction,
  organizationId: string,
  { userId, apiKeyId, modelId }: Subject,
): Promise<void> {
  if (userId !== null) {
    const locked = await tx`
      select from memberships
      where organization_id = ${organizationId} and user_id = ${userId} and status <> 'deleted' for key share`
    if (locked.count === 0) throw fail('user.not_found', { value: userId })
  } else if (apiKeyId !== null) {
    const locked = await tx`
      select from api_keys where organization_id = ${organizationId} and id = ${apiKeyId} for key share`
    if (locked.count === 0) throw fail('api_key.not_found', { value: apiKeyId })
  } else {
    const locked = await tx`
      select from llm_models
      where id = ${modelId} and (organization_id = ${organizationId} or organization_id is null) for key share`
    if (locked.count === 0) throw fail('llm.not_found', { value: modelId ?? '' })
  }
}
