import type { McpToolRecord } from '#database/schema/mcp.ts'
import type { Actor } from '#platform/access/scope.ts'
import { recordEvent } from '#platform/audit/audit.ts'
import type { McpDependencies } from './dependencies.ts'

/** Whose tools they are: everybody's, as long as the server has that address, or one connection's. */
export type ToolHolder =
  | { table: 'mcp_servers'; id: string; url: string }
  | { table: 'mcp_instances'; id: string }

/** The names of what is not as it was. */
interface Difference {
  added: string[]
  removed: string[]
  changed: string[]
}

/** So many names of a kind are told in the audit. */
const NAMES_LISTED_MAX = 100

/**
 * Keeps the tools that a server has just told. Where others were known, it is noted when that was found, and for a
 * connection its audit says which: a server may put other words in a model's ear than those that somebody once looked at.
 */
export async function storeTools(
  { database }: Pick<McpDependencies, 'database'>,
  holder: ToolHolder,
  reader: Actor & { organizationId: string },
  tools: McpToolRecord[],
): Promise<{ readAt: string; changedAt: string | null }> {
  const given = JSON.stringify(tools)
  return database.sql.begin(async (tx) => {
    const table = tx(holder.table)
    const isIt =
      holder.table === 'mcp_servers' ? tx`id = ${holder.id} and url = ${holder.url}` : tx`id = ${holder.id}`
    const [row] = await tx<{ isSame: boolean; difference: Difference | null }[]>`
      select coalesce(tools::jsonb = ${given}::text::jsonb, false) as "isSame",
        case when tools::jsonb <> ${given}::text::jsonb then (
        select json_build_object(
          'added', coalesce(json_agg(name) filter (where before is null), '[]'),
          'removed', coalesce(json_agg(name) filter (where after is null), '[]'),
          'changed', coalesce(json_agg(name) filter (where before is not null and after is not null), '[]'))
        from (
          select coalesce(b.tool ->> 'name', a.tool ->> 'name') as name, b.tool as before, a.tool as after
          from jsonb_array_elements(held.tools::jsonb) b (tool)
          full join jsonb_array_elements(${given}::text::jsonb) a (tool) on a.tool ->> 'name' = b.tool ->> 'name'
          where b.tool is distinct from a.tool) as others)
      end as difference
      from ${table} held where ${isIt} for no key update`
    const difference = row?.difference ?? null
    const isChanged =
      difference !== null && Object.values(difference).some((names: string[]) => names.length > 0)
    const [stored] = await tx<{ readAt: string; changedAt: string | null }[]>`
      update ${table} set tools_read_at = now()
        ${row?.isSame ? tx`` : tx`, tools = ${given}::text::json, updated_at = now()`}
        ${isChanged ? tx`, tools_changed_at = now()` : tx``}
      where ${isIt} returning tools_read_at as "readAt", tools_changed_at as "changedAt"`
    if (difference && isChanged && holder.table === 'mcp_instances')
      await recordEvent(tx, reader.organizationId, reader, {
        action: 'mcp_instance.tools_changed',
        recordId: holder.id,
        after: {
          added: named(difference.added),
          removed: named(difference.removed),
          changed: named(difference.changed),
        },
      })
    return stored ?? { readAt: new Date().toISOString(), changedAt: null }
  })
}

const named = (names: string[]): string[] => names.slice(0, NAMES_LISTED_MAX)
