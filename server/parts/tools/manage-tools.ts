import { and, eq } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { toolCategories, tools } from '#database/schema/tools.ts'
import { isForeignKeyViolation, isUniqueViolation, referenceMissing } from '#database/sql-state.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { commitWithAnswer } from '#platform/idempotency/pending-answer.ts'
import type { Services } from '#platform/services.ts'
import { checkConfiguration, checkInputs, checkSettings, isSameCode } from './check-tool.ts'
import { inspectTool } from './inspect-tool.ts'
import { describeUsers, isUnused } from './read-tools-system.ts'
import { type NewTool, type ToolChange, type ToolRow, type ToolView, viewTool } from './schemas.ts'

type Dependencies = Pick<Services, 'database' | 'net' | 'sandbox'>

/** Maximum number of attempts to update a tool. An attempt fails if the tool is changed concurrently. */
const ATTEMPTS_MAX = 3

/**
 * Creates a tool after loading its code in the sandbox. Throws tool.invalid, tool.category_not_found,
 * tool.code_invalid, tool.taken, server.unavailable.
 */
export async function createTool(
  deps: Dependencies,
  scope: Scope<'tool:write'>,
  input: NewTool,
): Promise<ToolView> {
  await checkCategory(scope, input.category_id)
  const checked = await checkTool(deps, scope.organizationId, input)
  const row = await commitWithAnswer(() =>
    scope.insert(tools, {
      ...checked,
      id: newId(),
      createdBy: scope.userId,
      categoryId: input.category_id,
      isActive: input.is_active ?? true,
      isPublic: input.is_public ?? false,
    }),
  ).catch(explain)
  return viewTool(row, false)
}

/**
 * Validates a tool and loads its code in the sandbox. Returns the columns to store. Throws tool.invalid,
 * tool.code_invalid, server.unavailable.
 */
export async function checkTool(
  { net, sandbox }: Pick<Dependencies, 'net' | 'sandbox'>,
  organizationId: string,
  input: Omit<NewTool, 'category_id'>,
) {
  const checked = {
    description: input.description,
    configuration: checkConfiguration(input.configuration),
    inputs: checkInputs(input.inputs),
    settings: checkSettings(net, input.settings),
  }
  return {
    ...checked,
    ...(await inspectTool(sandbox, organizationId, checked)),
    name: input.name.trim(),
    version: input.version.trim(),
    logoUrl: input.logo_url ?? null,
    outputs: input.outputs,
  }
}

/** Returns one of the organization's own tools. Throws tool.not_found. */
export const getOwnTool = async (scope: Scope<'tool:write'>, toolId: string): Promise<ToolView> =>
  viewTool(only(await scope.select(tools, { where: eq(tools.id, toolId) }), toolId), false)

/**
 * Updates the given fields. If a change affects the functions, loads the code again, outside of any transaction.
 * Retries if the tool is changed concurrently. Throws tool.not_found, tool.changing, and the errors of createTool.
 */
export async function updateTool(
  deps: Dependencies,
  scope: Scope<'tool:write'>,
  toolId: string,
  change: ToolChange,
): Promise<ToolView> {
  const checked = {
    ...(change.description !== undefined && { description: change.description }),
    ...(change.configuration !== undefined && { configuration: checkConfiguration(change.configuration) }),
    ...(change.inputs !== undefined && { inputs: checkInputs(change.inputs) }),
    ...(change.settings !== undefined && { settings: checkSettings(deps.net, change.settings) }),
  }
  if (change.category_id !== undefined) await checkCategory(scope, change.category_id)
  const plain = {
    ...(change.name !== undefined && { name: change.name.trim() }),
    ...(change.version !== undefined && { version: change.version.trim() }),
    ...(change.category_id !== undefined && { categoryId: change.category_id }),
    ...(change.is_active !== undefined && { isActive: change.is_active }),
    ...(change.is_public !== undefined && { isPublic: change.is_public }),
    ...(change.logo_url !== undefined && { logoUrl: change.logo_url }),
    ...(change.outputs !== undefined && { outputs: change.outputs }),
  }
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const before = only(await scope.select(tools, { where: eq(tools.id, toolId) }), toolId)
    const inspected = affectsFunctions(before, change)
      ? await inspectTool(deps.sandbox, scope.organizationId, { ...before, ...checked })
      : null
    const changed = await scope
      .transaction(async (database) => {
        const now = only(await database.select(tools, { where: eq(tools.id, toolId), lock: true }), toolId)
        if (!isSameCode(before, now)) return null
        const values = { ...plain, ...checked, ...inspected, updatedAt: new Date() }
        // Unlocked: isSameCode has compared the row, now locked, with the row that was inspected.
        return only(await database.update(tools, eq(tools.id, toolId), values), toolId)
      })
      .catch(explain)
    if (changed) return viewTool(changed, false)
  }
  throw fail('tool.changing')
}

/** Deletes a tool. Throws tool.not_found, and tool.in_use with the agents that use the tool. */
export async function deleteTool(
  deps: Dependencies,
  scope: Scope<'tool:delete'>,
  toolId: string,
): Promise<void> {
  // While the row is locked, no agent can add the tool. The delete statement therefore sees all agents that use it.
  const removed = await scope.transaction(async (database) => {
    only(await database.select(tools, { where: eq(tools.id, toolId), lock: true }), toolId)
    return database.delete(tools, and(eq(tools.id, toolId), isUnused))
  })
  if (removed.length === 0)
    throw fail('tool.in_use', { users: await describeUsers(deps, scope.organizationId, toolId) })
}

/**
 * Returns whether a change requires loading the code again. The tool's description only matters if its function has
 * none.
 */
const affectsFunctions = (before: ToolRow, change: ToolChange): boolean =>
  change.settings !== undefined ||
  change.inputs !== undefined ||
  change.configuration !== undefined ||
  (change.description !== undefined && before.settings.function_info.description === '')

async function checkCategory(scope: Scope<'tool:write'>, categoryId: string): Promise<void> {
  const [category] = await scope.select(toolCategories, { where: eq(toolCategories.id, categoryId) })
  if (!category) throw fail('tool.category_not_found', { value: categoryId })
}

/**
 * Maps a duplicate name and version to tool.taken, and a category that was deleted concurrently to
 * tool.category_not_found.
 */
function explain(error: unknown): never {
  if (isUniqueViolation(error)) throw fail('tool.taken', {}, { cause: error })
  if (isForeignKeyViolation(error)) throw referenceMissing('tool.category_not_found', error)
  throw error
}

function only([row]: ToolRow[], id: string): ToolRow {
  if (!row) throw fail('tool.not_found', { value: id })
  return row
}
