import { McpError } from '#platform/mcp/mcp-error.ts'
import type { McpDependencies } from './dependencies.ts'
import { openReplaced } from './stored-credentials.ts'

const NEEDED_CHARACTERS_MAX = 4_000

/**
 * Keeps what a server wants beyond what an account was connected for (`insufficient_scope`: RFC 6750, 3.1), so that it is
 * asked for when the account is connected again. Any other failure is nothing to keep. Never throws.
 */
export function noteNeededScope(
  { database, log }: Pick<McpDependencies, 'database' | 'log'>,
  instanceId: string,
  failure: unknown,
): void {
  if (!(failure instanceof McpError) || failure.scope === undefined) return
  database.sql`
    update mcp_instances
    set needed_scope = left(concat_ws(' ', needed_scope, ${failure.scope}::text), ${NEEDED_CHARACTERS_MAX})
    where id = ${instanceId} and status = 'active'
      and strpos(coalesce(needed_scope, ''), ${failure.scope}::text) = 0`.catch((error: unknown) =>
    log.warn({ err: error, instanceId }, 'what an MCP server wants further was not kept'),
  )
}

/** What to ask for when an account is connected again; undefined: what its server wants of everybody. */
export async function widerScope(
  { database, secrets }: Pick<McpDependencies, 'database' | 'secrets'>,
  instanceId: string,
): Promise<string | undefined> {
  const [row] = await database.sql<{ sealed: string | null; neededScope: string }[]>`
    select credentials as sealed, needed_scope as "neededScope" from mcp_instances
    where id = ${instanceId} and needed_scope is not null`
  const stored = row && openReplaced(secrets, instanceId, row.sealed)
  if (stored?.type !== 'oauth') return undefined
  // With the SDK, which a start does without.
  const { widenScope } = await import('#platform/mcp/scopes.ts')
  return widenScope(stored.grant, row?.neededScope) ?? undefined
}
