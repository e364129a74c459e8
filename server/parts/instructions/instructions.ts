import Type, { type Static } from 'typebox'
import { eq } from '#database/drizzle.ts'
import { HIGHEST_ID, newId } from '#database/new-id.ts'
import { instructions } from '#database/schema/instructions.ts'
import { onUniqueViolation } from '#database/sql-state.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { listRecords } from '#platform/http/list-records.ts'
import type { ListQuery, Page } from '#platform/http/pagination.ts'
import {
  Body,
  CreatedAt,
  CreatedBy,
  NAME,
  NOT_BLANK,
  ObjectId,
  OrganizationId,
  UpdatedAt,
} from '#platform/http/schemas.ts'

const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  ...NAME,
  description: 'Name of the instruction, unique per user.',
})
const Content = Type.String({
  minLength: 1,
  maxLength: 100_000,
  ...NOT_BLANK,
  description: 'Text that guides replies.',
})

export const NewInstruction = Body({ name: Name, content: Content })
export const InstructionChange = Body({ name: Type.Optional(Name), content: Type.Optional(Content) })
export const InstructionView = Type.Object(
  {
    id: ObjectId,
    organization_id: OrganizationId,
    created_by: CreatedBy,
    name: Name,
    content: Content,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { title: 'Instruction' },
)
type InstructionView = Static<typeof InstructionView>

const view = (row: typeof instructions.$inferSelect): InstructionView => ({
  id: row.id,
  organization_id: row.organizationId,
  created_by: row.userId,
  name: row.name,
  content: row.content,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

export const createInstruction = (
  scope: Scope<'chats:write'>,
  input: Static<typeof NewInstruction>,
): Promise<InstructionView> =>
  scope
    .insert(instructions, { id: newId(), ...input })
    .then(view, onUniqueViolation('instruction.name_taken'))

export const listInstructions = (
  scope: Scope<'chats:read'>,
  query: ListQuery,
): Promise<Page<InstructionView>> =>
  listRecords(scope, instructions, { query, view, searched: [instructions.name] })

export async function getInstruction(
  scope: Scope<'chats:read'> | Scope<'chats:write'>,
  id: string,
): Promise<InstructionView> {
  return view(only(await scope.select(instructions, { where: eq(instructions.id, id) }), id))
}

/** An instruction without its whole content. */
export interface InstructionSummary {
  id: string
  name: string
  /** The first `BEGINNING_CHARACTERS` of the content. */
  beginning: string
}

const BEGINNING_CHARACTERS = 200

/** Returns the user's instructions with ids below `below`, newest first. */
export const listInstructionSummaries = (
  { sql, organizationId, userId }: Scope<'chats:read'>,
  below: string | undefined,
  count: number,
): Promise<InstructionSummary[]> => sql<InstructionSummary[]>`
  select id, name, left(content, ${BEGINNING_CHARACTERS}) as beginning from instructions
  where organization_id = ${organizationId} and user_id = ${userId} and id < ${below ?? HIGHEST_ID}::uuid
  order by id desc limit ${count}`

/** Finds an instruction of the user by its exact name. Throws instruction.not_found. */
export async function findInstruction(
  scope: Scope<'chats:read'>,
  name: string,
): Promise<Pick<InstructionView, 'name' | 'content'>> {
  return only(await scope.select(instructions, { where: eq(instructions.name, name) }), name)
}

export const updateInstruction = (
  scope: Scope<'chats:write'>,
  id: string,
  change: Static<typeof InstructionChange>,
): Promise<InstructionView> =>
  scope
    .update(instructions, eq(instructions.id, id), {
      ...(change.name !== undefined && { name: change.name }),
      ...(change.content !== undefined && { content: change.content }),
      updatedAt: new Date(),
    })
    .catch(onUniqueViolation('instruction.name_taken'))
    .then((rows) => view(only(rows, id)))

export async function deleteInstruction(scope: Scope<'chats:delete'>, id: string): Promise<void> {
  only(await scope.delete(instructions, eq(instructions.id, id)), id)
}

function only<Row>([row]: Row[], idOrName: string): Row {
  if (!row) throw fail('instruction.not_found', { value: idOrName })
  return row
}
