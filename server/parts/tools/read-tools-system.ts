import { and, desc, eq, inArray, lt, or, type SQL, sql } from '#database/drizzle.ts'
import { patternsHolding, SEARCHED_MAX } from '#database/like.ts'
import { HIGHEST_ID } from '#database/new-id.ts'
import { toolCategories, tools } from '#database/schema/tools.ts'
import { systemDb, systemSql } from '#database/system-sql.ts'
import { fail } from '#errors'
import { isAtWork, isNotSuspended } from '#platform/access/suspension.ts'
import { type ListQuery, type Page, readPage } from '#platform/http/pagination.ts'
import type { Services } from '#platform/services.ts'
import type { CategoryRow, ToolRow } from './schemas.ts'

/*
 * Queries across organizations: public tools, and lists for all organizations of a user. Other organizations can use
 * a tool only while it is public and active, and its organization is not suspended.
 */

type Dependencies = Pick<Services, 'database'>

/** Maximum size of a page, in bytes of code and descriptors. */
const PAGE_BYTES_MAX = 2 * 1024 * 1024
/** Maximum number of agents that an error names as users of a tool. */
const AGENTS_NAMED = 10

const usableBy = (organizationId: string) =>
  or(
    eq(tools.organizationId, organizationId),
    and(tools.isPublic, tools.isActive, isNotSuspended(tools.organizationId)),
  )

/** Finds a tool that the organization owns, or an active public tool. Throws tool.not_found. */
export async function findTool(
  { database }: Dependencies,
  organizationId: string,
  toolId: string,
): Promise<ToolRow> {
  const [row] = await systemDb(database)
    .select()
    .from(tools)
    .where(and(eq(tools.id, toolId), usableBy(organizationId)))
  if (!row) throw fail('tool.not_found', { value: toolId })
  return row
}

/** Returns the tools with these ids that the organization may use, in any order. */
export const findTools = (
  deps: Dependencies,
  organizationId: string,
  toolIds: readonly string[],
): Promise<ToolRow[]> => selectTools(deps, toolIds, usableBy(organizationId))

/** Returns the tools with these ids without checking access. Only for agents that already have these tools. */
export const readAllTools = (deps: Dependencies, toolIds: readonly string[]): Promise<ToolRow[]> =>
  selectTools(deps, toolIds)

async function selectTools(
  { database }: Dependencies,
  toolIds: readonly string[],
  condition?: SQL | undefined,
): Promise<ToolRow[]> {
  if (toolIds.length === 0) return []
  return systemDb(database)
    .select()
    .from(tools)
    .where(and(inArray(tools.id, [...toolIds]), condition))
}

/** Returns a page of the categories of several organizations, newest first. */
export const readCategories = (
  { database }: Dependencies,
  organizationIds: string[],
  query: ListQuery,
): Promise<Page<CategoryRow>> =>
  readPage(
    query,
    (below, count) =>
      systemDb(database)
        .select()
        .from(toolCategories)
        .where(
          and(
            inArray(toolCategories.organizationId, organizationIds),
            below === undefined ? undefined : lt(toolCategories.id, below),
          ),
        )
        .orderBy(desc(toolCategories.id))
        .limit(count),
    (row) => row,
  )

/**
 * Returns a page of the tools of several organizations and of public tools, newest first. Reads at most one page per
 * organization, and one page of public tools. A search finds words in the name or description. For each page, it reads at
 * most SEARCHED_MAX public tools.
 */
export async function readTools(
  { database }: Dependencies,
  organizationIds: string[],
  query: ListQuery,
): Promise<Page<ToolRow>> {
  const [run, db] = [systemSql(database), systemDb(database)]
  const isFound = run`concat_ws(' ', t.name, t.description) ilike all (${patternsHolding(query.q)}::text[])`
  const page = await readPage(
    query,
    (below, count) => run<{ id: string; bytes: number }[]>`
      select id, octet_length(settings::text) + octet_length(configuration::text) + octet_length(inputs::text)
        + octet_length(functions::text) as bytes
      from tools where id in (
        select own.id from unnest(${organizationIds}::uuid[]) as organization (id)
        cross join lateral (
          select t.id from tools t
          where t.organization_id = organization.id and ${isFound}
            and t.id < coalesce(${below ?? null}, ${HIGHEST_ID})::uuid
          order by t.id desc limit ${count}) own
        union (
          select t.id from (
            select p.id, p.organization_id, p.name, p.description from tools p
            where p.is_public and p.is_active and ${organizationIds.length > 0}
              and p.id < coalesce(${below ?? null}, ${HIGHEST_ID})::uuid
            order by p.id desc limit ${SEARCHED_MAX}) t
          where ${isFound} and ${isAtWork(run, run`t.organization_id`)}
          order by t.id desc limit ${count}))
      order by id desc limit ${count}`,
    ({ id }) => id,
    { max: PAGE_BYTES_MAX, of: ({ bytes }) => bytes },
  )
  const rows = page.data.length === 0 ? [] : await db.select().from(tools).where(inArray(tools.id, page.data))
  const byId = new Map(rows.map((row) => [row.id, row]))
  return { ...page, data: page.data.flatMap((id) => byId.get(id) ?? []) }
}

/** For a row of tools: true if no agent of any organization uses the tool. */
export const isUnused = sql`is_tool_unused(${tools.id})`

/**
 * Describes the agents that use a tool. Names the organization's own agents, and counts the agents of other
 * organizations.
 */
export async function describeUsers(
  { database }: Dependencies,
  organizationId: string,
  toolId: string,
): Promise<string> {
  const [found] = await systemSql(database)<{ named: string[] | null; own: number; foreign: number }[]>`
    select (array_agg(a.name order by a.id) filter (where a.organization_id = ${organizationId}))[:${AGENTS_NAMED}] as named,
      count(*) filter (where a.organization_id = ${organizationId})::int as own,
      count(*) filter (where a.organization_id <> ${organizationId})::int as "foreign"
    from agent_tools used join agents a on a.id = used.agent_id where used.tool_id = ${toolId}`
  const { named: names, own, foreign } = found ?? { named: null, own: 0, foreign: 0 }
  const named = names ?? []
  const unnamed = own - named.length
  return [
    ...named.map((name) => `the agent ${name}`),
    ...(unnamed > 0 ? [`${unnamed} more`] : []),
    ...(foreign > 0 ? [`${foreign} ${foreign === 1 ? 'agent' : 'agents'} of other organizations`] : []),
  ].join(', ')
}
