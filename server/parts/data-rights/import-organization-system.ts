import { afterRollback, isInTransaction } from '#database/ambient.ts'
import { onUniqueViolation, sqlStateOf } from '#database/sql-state.ts'
import { type SystemSql, systemSql } from '#database/system-sql.ts'
import { fail, sentence } from '#errors'
import { lockOrganization } from '#platform/access/organization-lock.ts'
import type { Caller } from '#platform/access/scope.ts'
import { recordEvent } from '#platform/audit/audit.ts'
import { commitWithAnswer } from '#platform/idempotency/pending-answer.ts'
import type { Services } from '#platform/services.ts'
import { createOrganization, readOrganization } from '../org/index.ts'
import { type CheckedArchive, checkArchive, readLine } from './check-archive.ts'
import type { Eraser } from './eraser-system.ts'
import { conceptsOf } from './export-concepts.ts'
import { importFiles } from './import-files.ts'
import { ROWS_OF } from './import-rows.ts'
import type { ImportedConcept, ImportView, LineOf } from './import-schemas.ts'
import { insertNewRows, type NewRows } from './import-tables-system.ts'
import { Importing, isLeftOut } from './importing.ts'
import type { Imports } from './imports-system.ts'
import { type Archive, openArchive } from './read-archive.ts'

/** Limits of a transaction: number of lines, and total bytes of lines. */
const BATCH_LINES = 500
const BATCH_BYTES = 4 * 1024 * 1024
/** Matches the SQLSTATE classes "data exception", "integrity constraint violation" and "program limit exceeded". */
const IS_CONTRADICTION = /^(22|23|54)/

/** Contents of exports that are never imported, with the reason for the report. */
const NOT_IMPORTED: Record<string, string> = {
  members: 'members have to consent: invite them',
  invitations: 'send them again',
  kb_chunks: 'they are rebuilt from the text of the documents, without edits and with all chunks enabled',
  model_connections: 'exports contain no keys: enter the keys again',
  default_models: 'choose them again',
  mcp_connections: 'exports contain no credentials: connect the accounts again',
  responses: 'they expire',
  response_items: 'they expire',
  response_conversations: 'they expire',
  response_conversation_items: 'they expire',
  ledger: 'they describe credits of another server or organization',
  usage_days: 'they describe credits of another server or organization',
  audit: 'it describes actions in another organization',
}

/**
 * Imports an export as a new organization that the caller owns. Returns counts of imported records, and what was left
 * out (docs/export.md). Validates the whole archive before anything is stored.
 *
 * The organization is hidden until the last transaction. After a failure or crash, it is erased (imports-system.ts).
 * Throws `import.*`, org.name_taken, auth.invalid_token, server.unavailable.
 */
export async function importOrganization(
  services: Services,
  deps: ImportDependencies,
  caller: Caller,
  { path, name }: { path: string; name: string | undefined },
): Promise<ImportView> {
  const concepts = conceptsOf(services.tables).map((concept) => concept.name)
  const archive = await openArchive(path, concepts)
  try {
    const email = await addressOf(systemSql(services.database), caller)
    const checked = await checkArchive(archive, concepts, email)
    const organizationName = (name ?? checked.manifest.organization.name).trim()
    return await store(services, deps, caller, { archive, checked, name: organizationName })
  } finally {
    archive.close()
  }
}

interface ImportDependencies {
  imports: Imports
  eraser: Pick<Eraser, 'erase'>
}

async function store(
  services: Services,
  { imports, eraser }: ImportDependencies,
  caller: Caller,
  { name, ...what }: Omit<ImportInput, 'organizationId'> & { name: string },
): Promise<ImportView> {
  const sql = systemSql(services.database)
  const organizationId = await begin(services, imports, caller, name)
  const undo = async (): Promise<void> => {
    await imports.close(organizationId)
    await eraser.erase({ organizationId })
  }
  try {
    const importing = await fill(services, caller, { organizationId, ...what })
    return await commitWithAnswer(async () => {
      if (isInTransaction()) await afterRollback(undo)
      await finish(sql, caller, importing, name)
      const organization = await readOrganization(services.database, caller.userId, organizationId)
      return { organization, imported: importing.imported, left_out: importing.leftOut }
    })
  } catch (error) {
    // If the database is unavailable, a sweep erases the organization later.
    if (!isInTransaction()) await undo().catch(() => {})
    throw error
  }
}

async function addressOf(sql: SystemSql, { userId }: Caller): Promise<string> {
  const [user] = await sql<
    { email: string }[]
  >`select email from users where id = ${userId} and leaving is null`
  if (!user) throw fail('auth.invalid_token')
  return user.email
}

/**
 * Creates the organization. The suspended membership of its owner hides it. Throws org.name_taken,
 * auth.invalid_token.
 */
const begin = (
  { database, instance }: Services,
  imports: Imports,
  { userId }: Caller,
  name: string,
): Promise<string> =>
  systemSql(database)
    .begin(async (tx) => {
      const lockedUser = await tx`select from users where id = ${userId} and leaving is null for share`
      if (lockedUser.count === 0) throw fail('auth.invalid_token')
      const id = await createOrganization(tx, { name, ownerId: userId, personal: false })
      await tx`update organizations set importing_by = ${instance.id} where id = ${id}`
      await tx`update memberships set status = 'suspended' where organization_id = ${id}`
      imports.noteBegun(id)
      return id
    })
    .catch(onUniqueViolation('org.name_taken'))

interface ImportInput {
  organizationId: string
  archive: Archive
  checked: CheckedArchive
}

async function fill(
  services: Services,
  { userId }: Caller,
  { organizationId, archive, checked: { manifest, formerUserId } }: ImportInput,
): Promise<Importing> {
  const sql = systemSql(services.database)
  const importing = new Importing(services, {
    organizationId,
    userId,
    formerUserId,
    environmentModels: await findEnvironmentModels(sql, manifest.environment_models ?? []),
    permissions: await readPermissions(sql),
  })
  for (const concept of Object.keys(ROWS_OF) as (keyof typeof ROWS_OF)[]) {
    // Files refer to chats, and messages refer to files. Files are therefore imported between chats and messages.
    if (concept === 'messages') await importFiles(services, archive, importing)
    await importLines(sql, archive, importing, concept)
  }
  for (const [what, reason] of Object.entries(NOT_IMPORTED)) {
    const isMember = what === 'members' && formerUserId !== null
    importing.leaveOut(what, reason, (manifest.counts[what] ?? 0) - (isMember ? 1 : 0))
  }
  return importing
}

/**
 * Maps the ids of environment models in the export to this server's environment models with the same provider and
 * version.
 */
async function findEnvironmentModels(
  sql: SystemSql,
  models: readonly { id: string; provider: string; version: string }[],
): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; localId: string }[]>`
    select r.id, m.id as "localId"
    from json_to_recordset(${JSON.stringify(models)}::text::json) as r (id text, provider text, version text)
    join llm_models m on m.organization_id is null and m.provider = r.provider and m.version = r.version`
  return new Map(rows.map(({ id, localId }) => [id, localId]))
}

async function readPermissions(sql: SystemSql): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; name: string }[]>`select id, name from permissions`
  return new Map(rows.map(({ id, name }) => [name, id]))
}

async function importLines<C extends keyof typeof ROWS_OF>(
  sql: SystemSql,
  archive: Archive,
  importing: Importing,
  concept: C,
): Promise<void> {
  let batch: NewRows = {}
  let [lines, bytes] = [0, 0]
  const store = async (): Promise<void> => {
    if (lines > 0) await storeBatch(sql, importing, concept, batch)
    batch = {}
    ;[lines, bytes] = [0, 0]
  }
  for await (const line of archive.readLines(concept)) {
    const value = readLine(concept, line)
    const rows = await rowsOf(concept, value, importing)
    if (rows === null) continue
    importing.keep(concept, value.id)
    for (const [table, some] of Object.entries(rows) as [keyof NewRows, never[]][]) {
      batch[table] ??= []
      batch[table].push(...some)
    }
    lines++
    bytes += line.bytes
    if (lines >= BATCH_LINES || bytes >= BATCH_BYTES) await store()
  }
  await store()
}

async function rowsOf<C extends keyof typeof ROWS_OF>(
  concept: C,
  line: LineOf<C>,
  importing: Importing,
): Promise<NewRows | null> {
  try {
    return await ROWS_OF[concept](line, importing)
  } catch (error) {
    if (!isLeftOut(error)) throw error
    return importing.leaveOut(concept, error.message)
  }
}

async function storeBatch(
  sql: SystemSql,
  { organizationId }: Importing,
  concept: ImportedConcept,
  batch: NewRows,
): Promise<void> {
  try {
    await sql.begin(async (tx) => {
      await lockOrganization(tx, organizationId, 'records')
      await insertNewRows(tx, batch)
    })
  } catch (cause) {
    if (!IS_CONTRADICTION.test(sqlStateOf(cause) ?? '')) throw cause
    const reason = sentence('import.not_storable')
    throw fail('import.invalid', { location: `${concept}.jsonl`, reason }, { cause })
  }
}

/**
 * Activates the owner's membership, which makes the organization visible. Throws auth.invalid_token if the user or
 * the organization was deleted during the import.
 */
async function finish(sql: SystemSql, caller: Caller, importing: Importing, name: string): Promise<void> {
  const { organizationId: id, imported } = importing
  await sql.begin(async (tx) => {
    await lockOrganization(tx, id, 'members')
    const owned = await tx`
      update memberships m set status = 'active', updated_at = now() from users u
      where m.organization_id = ${id} and m.user_id = ${caller.userId} and m.status = 'suspended'
        and u.id = m.user_id and u.leaving is null`
    if (owned.count === 0) throw fail('auth.invalid_token')
    await tx`update organizations set importing_by = null, updated_at = now() where id = ${id}`
    const after = { name, ...imported }
    await recordEvent(tx, id, caller, { action: 'organization.imported', recordId: id, after })
  })
}
