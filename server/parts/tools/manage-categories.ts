import { asc, eq } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { toolCategories, tools } from '#database/schema/tools.ts'
import { isForeignKeyViolation, onUniqueViolation } from '#database/sql-state.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { type CategoryChange, type CategoryView, type NewCategory, viewCategory } from './schemas.ts'

/** Creates a category. Names are unique regardless of case. Throws tool.category_taken. */
export const createCategory = (scope: Scope<'tool:write'>, input: NewCategory): Promise<CategoryView> =>
  scope
    .insert(toolCategories, {
      id: newId(),
      createdBy: scope.userId,
      name: input.name.trim(),
      description: input.description,
    })
    .then(viewCategory, onUniqueViolation('tool.category_taken'))

/** Throws tool.category_not_found. */
export async function getCategory(scope: Scope<'tool:write'>, categoryId: string): Promise<CategoryView> {
  const [row] = await scope.select(toolCategories, { where: eq(toolCategories.id, categoryId) })
  if (!row) throw fail('tool.category_not_found', { value: categoryId })
  return viewCategory(row)
}

export async function updateCategory(
  scope: Scope<'tool:write'>,
  categoryId: string,
  { name, description }: CategoryChange,
): Promise<CategoryView> {
  const [row] = await scope
    .update(toolCategories, eq(toolCategories.id, categoryId), {
      ...(name !== undefined && { name: name.trim() }),
      ...(description !== undefined && { description }),
      updatedAt: new Date(),
    })
    .catch(onUniqueViolation('tool.category_taken'))
  if (!row) throw fail('tool.category_not_found', { value: categoryId })
  return viewCategory(row)
}

/** Deletes a category. Throws tool.category_not_found, and tool.category_in_use with names of its tools. */
export async function deleteCategory(scope: Scope<'tool:delete'>, categoryId: string): Promise<void> {
  const rows = await scope
    .delete(toolCategories, eq(toolCategories.id, categoryId))
    .catch(async (error: unknown) => {
      if (!isForeignKeyViolation(error)) throw error
      throw fail('tool.category_in_use', { tools: await nameTools(scope, categoryId) }, { cause: error })
    })
  if (rows.length === 0) throw fail('tool.category_not_found', { value: categoryId })
}

async function nameTools(scope: Scope<'tool:delete'>, categoryId: string): Promise<string> {
  const rows = await scope.select(tools, {
    where: eq(tools.categoryId, categoryId),
    orderBy: [asc(tools.id)],
    limit: TOOLS_NAMED + 1,
  })
  const names = rows.slice(0, TOOLS_NAMED).map(({ name, version }) => `${name} ${version}`)
  return [...names, ...(rows.length > TOOLS_NAMED ? ['others'] : [])].join(', ')
}

/** Maximum number of tools that an error names. */
const TOOLS_NAMED = 10
