import { eq, isNull, or } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { llmDefaults } from '#database/schema/llm.ts'
import { isUniqueViolation, onMissingReference } from '#database/sql-state.ts'
import { AppError, fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { ModelFinder } from './find-model.ts'
import type { DefaultModels } from './schemas.ts'

type Reader = Scope<'organization:read'> | Scope<'organization:write'> | Scope<'chats:write'>

/** Returns the defaults of the organization and of the caller, and the model that follows from them. */
export async function readDefaults(finder: ModelFinder, scope: Reader): Promise<DefaultModels> {
  const rows = await scope.select(llmDefaults, {
    where: or(isNull(llmDefaults.memberId), eq(llmDefaults.memberId, scope.userId)),
  })
  const idFor = (memberId: string | null) => rows.find((row) => row.memberId === memberId)?.modelId ?? null
  return {
    model_id: await findId(finder, scope),
    own_model_id: idFor(scope.userId),
    organization_model_id: idFor(null),
  }
}

async function findId(finder: ModelFinder, scope: Reader): Promise<string | null> {
  try {
    return (await finder.findDefault(scope, 'text')).id
  } catch (error) {
    if (error instanceof AppError && error.code === 'llm.none') return null
    throw error
  }
}

/**
 * Sets the default model of the caller (`memberId`) or of the organization (null), or removes it. Throws
 * llm.cannot_chat, and the errors of ModelFinder.find.
 */
export async function setDefault(
  finder: ModelFinder,
  scope: Scope<'organization:write'> | Scope<'chats:write'>,
  memberId: string | null,
  modelId: string | null,
): Promise<void> {
  const isOne = memberId === null ? isNull(llmDefaults.memberId) : eq(llmDefaults.memberId, memberId)
  if (modelId === null) {
    await scope.delete(llmDefaults, isOne)
    return
  }
  const { capabilities } = await finder.find(scope.organizationId, modelId)
  if (!capabilities.includes('text')) throw fail('llm.cannot_chat')
  const write = () =>
    scope.transaction(async (database) => {
      const updated = await database.update(llmDefaults, isOne, { modelId, updatedAt: new Date() })
      if (updated.length === 0) await database.insert(llmDefaults, { id: newId(), memberId, modelId })
    })
  await write()
    // A concurrent request has inserted the row, so that there is one to update now.
    .catch((error) => (isUniqueViolation(error) ? write() : Promise.reject(error)))
    .catch(onMissingReference('llm.not_found'))
}
