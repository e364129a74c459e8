import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { newId } from '../server/database/new-id.ts'
import { listWords } from '../server/platform/retrieval/words.ts'

/* Generates knowledge bases with the words and word frequencies of documentation, which a running server indexes. */

const WORDS_PER_CHUNK = 100
const CHUNKS_PER_DOCUMENT = 1_000
const VOCABULARY = 20_000
const POLL_MS = 500

/** Returns the text of the installed packages' Markdown files. */
export const readMarkdown = (): string =>
  globSync(join(import.meta.dirname, '../node_modules/**/*.md'))
    .map((file) => readFileSync(file, 'utf8').replaceAll('\0', ''))
    .join('\n\n')

/** Returns the words of the documentation, the most frequent first. */
export function vocabulary(markdown: string): string[] {
  const counts = new Map<string, number>()
  for (const word of listWords(markdown.slice(0, 20_000_000)))
    if (/^[a-z]{2,20}$/.test(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, VOCABULARY)
    .map(([word]) => word)
}

/** Picks a word with the frequencies of natural text (Zipf's law). */
export const pick = (words: string[]): string => words[Math.floor(words.length ** Math.random())] ?? 'word'

export const pickMany = (words: string[], count: number): string =>
  Array.from({ length: count }, () => pick(words)).join(' ')

/** Returns a query of 3 to 8 words. */
export const question = (words: string[]): string => pickMany(words, 3 + Math.floor(Math.random() * 6))

/** Creates a knowledge base with pending documents. Each section is a chunk. */
export async function addPending(
  sql: Sql,
  { organizationId, userId }: { organizationId: string; userId: string },
  words: string[],
  chunks: number,
): Promise<string> {
  const id = newId()
  const source = newId()
  await sql`
    insert into knowledge_bases (id, organization_id, created_by, name, description, embedding_model, chunking)
    values (${id}, ${organizationId}, ${userId}, ${id}, '', 'local', '{"max_tokens": 400, "overlap_tokens": 50}')`
  await sql`
    insert into kb_sources (id, organization_id, kb_id, created_by, type, config, status, reading)
    values (${source}, ${organizationId}, ${id}, ${userId}, 'text', '{}', 'read', 1)`
  for (let from = 0; from < chunks; from += CHUNKS_PER_DOCUMENT) {
    const document = newId()
    const sections = Array.from(
      { length: Math.min(CHUNKS_PER_DOCUMENT, chunks - from) },
      (_, at) => `# ${pick(words)} ${from + at}\n\n${pickMany(words, WORDS_PER_CHUNK)}.`,
    )
    const text = sections.join('\n\n')
    await sql`
      insert into kb_documents (id, organization_id, kb_id, source_id, key, name, mime_type, size, metadata, status,
        content_hash, text_kind, text_bytes, found_by)
      values (${document}, ${organizationId}, ${id}, ${source}, ${document}, 'words', 'text/markdown', ${text.length},
        '{}', 'pending', ${document}, 'markdown', ${text.length}, 1)`
    await sql`
      insert into kb_texts (document_id, organization_id, kb_id, text)
      values (${document}, ${organizationId}, ${id}, ${text})`
  }
  return id
}

/** Waits until the server has indexed all documents. Returns the number of chunks. */
export async function waitUntilIndexed(sql: Sql): Promise<number> {
  for (;;) {
    const [left] = await sql<{ count: number }[]>`
      select count(*)::int as count from kb_documents where status in ('pending', 'processing')`
    if (left?.count === 0) break
    await sleep(POLL_MS)
  }
  const [all] = await sql<{ chunks: number }[]>`select count(*)::int as chunks from kb_chunks`
  return all?.chunks ?? 0
}
