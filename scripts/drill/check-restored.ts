import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { API_KEY_PREFIX } from '#platform/access/credentials.ts'
import { hashToken, newToken } from '#platform/secrets/secrets.ts'
import type { Storage } from '#platform/storage/storage.ts'
import type { Server } from '../../server/main.ts'

export interface DrillReport {
  /** The number of copied objects. */
  objects: number
  organizations: number
  messages: number
  /** Accounts whose balance is not the sum of their ledger, or whose open holds do not match. */
  wrongLedgers: number
  files: number
  /** Stored files whose object is missing in the bucket, or has another size. */
  missingFiles: number
  /** Whether a search with the words of a stored passage finds passages. */
  search: 'answers' | 'no answer' | 'no knowledge base with the built-in embedding'
}

/** Checks a server on a restored database: ledgers, files, and a search through the API. */
export async function checkRestored(
  { services, address }: Server,
  databaseUrl: string,
): Promise<Omit<DrillReport, 'objects'>> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    const [counts] = await sql`
      select (select count(*)::int from organizations) as organizations,
        (select count(*)::int from chat_messages) as messages,
        (select count(*)::int from credit_accounts a where
          balance <> (select coalesce(sum(amount), 0) from ledger_entries e where e.organization_id = a.organization_id)
          or held <> (select count(*) from open_holds h where h.organization_id = a.organization_id)) as wrong`
    const files = await sql<{ key: string; size: number }[]>`
      select storage_key as key, size::float8 as size from uploads where status = 'stored'`
    let missingFiles = 0
    for (const { key, size } of files)
      if ((await sizeOf(services.storage, key).catch(() => null)) !== size) missingFiles++
    return {
      organizations: counts?.['organizations'] ?? 0,
      messages: counts?.['messages'] ?? 0,
      wrongLedgers: counts?.['wrong'] ?? 0,
      files: files.length,
      missingFiles,
      search: await search(sql, address),
    }
  } finally {
    await sql.end()
  }
}

/** Returns the number of bytes of a stored file. Throws if the object does not exist. */
async function sizeOf(storage: Storage, key: string): Promise<number> {
  let bytes = 0
  for await (const chunk of await storage.open(key)) bytes += (chunk as Buffer).length
  return bytes
}

/** Searches as an owner, with a new API key, for the beginning of a stored passage. */
async function search(sql: postgres.Sql, address: string): Promise<DrillReport['search']> {
  const [passage] = await sql<{ kb_id: string; organization_id: string; content: string; user_id: string }[]>`
    select c.kb_id, c.organization_id, left(c.content, 200) as content, m.user_id
    from kb_chunks c
    join knowledge_bases b on b.id = c.kb_id and b.embedding_model = 'local'
    join memberships m on m.organization_id = c.organization_id and m.status = 'active'
    join roles r on r.id = m.role_id and r.name = 'owner'
    limit 1`
  if (!passage) return 'no knowledge base with the built-in embedding'
  const key = newToken(API_KEY_PREFIX)
  await sql`
    insert into api_keys (id, organization_id, user_id, name, prefix, key_hash, permissions)
    values (${randomUUID()}, ${passage.organization_id}, ${passage.user_id}, 'Restore drill', ${key.slice(0, 6)},
      ${hashToken(key)}, ${['*:*']})`
  const response = await fetch(`${address}/api/kb/search?kb_id=${passage.kb_id}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: passage.content, limit: 1 }),
  })
  const { results = [] } = (await response.json()) as { results?: unknown[] }
  return response.ok && results.length > 0 ? 'answers' : 'no answer'
}
