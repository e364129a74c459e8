import { readFileSync } from 'node:fs'
import { newId } from '#database/new-id.ts'
import type { McpAuthConfig } from '#database/schema/mcp.ts'
import type { Services } from '#platform/services.ts'
import { MOVED, retireConnections } from './retire-connections.ts'

/** A server of the seed file: well-known ones, which everybody can connect to who has an account there. */
export interface SeedServer {
  /** By which it is known from one release to the next. */
  key: string
  name: string
  toolkit_name: string
  toolkit_slug: string
  url: string
  auth: McpAuthConfig | null
  description: string
}

const FILE = new URL('./catalogue-seed.json', import.meta.url)

export const readSeed = (): SeedServer[] => JSON.parse(readFileSync(FILE, 'utf8')) as SeedServer[]

/**
 * Brings the catalogue up to date with the seed file: new servers are added, known ones changed, but for those that an
 * administrator has changed or deleted. Several processes may do so at once: who comes second finds it done. A slug
 * that an administrator has given to a server of his own stays his, and the seed's server is left out.
 */
export async function seedCatalogue(
  { database, log }: Pick<Services, 'database' | 'log'>,
  seed: SeedServer[] = readSeed(),
): Promise<void> {
  const given = JSON.stringify(seed.map((server) => ({ ...server, id: newId() })))
  await database.sql.begin(async (tx) => {
    // In one order, so that two processes wait for each other and not in a circle.
    await tx`select from mcp_servers where seed_key is not null order by seed_key for no key update`
    const moved = await tx<{ id: string }[]>`
      with given as (
        select * from json_to_recordset(${given}::text::json) as g (id uuid, key text, name text,
          toolkit_name text, toolkit_slug text, url text, auth jsonb, description text)
      ), known as (
        select s.id, s.url as url_before, g.url as url_after, g.name, g.toolkit_name, g.toolkit_slug, g.auth,
          g.description
        from given g join mcp_servers s on s.seed_key = g.key
        where not s.is_changed and not s.is_deleted
          and (s.name, s.toolkit_name, s.toolkit_slug, s.url, s.auth_config, s.description)
            is distinct from (g.name, g.toolkit_name, g.toolkit_slug, g.url, g.auth, g.description)
          and not exists (select from mcp_servers o where o.toolkit_slug = g.toolkit_slug and o.id <> s.id)
      ), changed as (
        update mcp_servers s set name = k.name, toolkit_name = k.toolkit_name, toolkit_slug = k.toolkit_slug,
          url = k.url_after, auth_config = k.auth, description = k.description, updated_at = now(),
          tools = case when s.url = k.url_after then s.tools end
        from known k where s.id = k.id
      ), unread as (
        update mcp_instances i set tools_read_at = null from known k
        where i.server_id = k.id and k.url_before <> k.url_after and i.tools_read_at is not null
      ), added as (
        insert into mcp_servers (id, seed_key, name, toolkit_name, toolkit_slug, url, auth_config, description)
        select id, key, name, toolkit_name, toolkit_slug, url, auth, description from given
        where not exists (select from mcp_servers s where s.seed_key = given.key)
        on conflict do nothing
      )
      select id from known where substring(lower(url_before) from ${ORIGIN}) <> substring(lower(url_after) from ${ORIGIN})`
    if (moved.length === 0) return
    const ids = moved.map(({ id }) => id)
    const retired = await retireConnections(tx, ids, MOVED, null)
    log.warn({ servers: ids, connections: retired.length }, 'MCP servers of the catalogue have moved')
  })
}

/** Scheme, host and port of an address, for PostgreSQL. */
const ORIGIN = '^[a-z]+://[^/?#]+'
