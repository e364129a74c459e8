import type { Sql } from 'postgres'
import type { Amounts } from './plan-data.ts'

/* The bytes that data takes in PostgreSQL. */

const OF_MESSAGES = ['chats', 'chat_messages', 'chat_words', 'ledger_entries', 'usage_days']
const OF_CHUNKS = ['kb_documents', 'kb_texts', 'kb_chunks', 'kb_vectors', 'kb_postings']

interface TableSize {
  name: string
  rows: number
  heap: number
  indexes: number
}

export const readSizes = (sql: Sql): Promise<TableSize[]> => sql<TableSize[]>`
  select relname as name, reltuples::float8 as rows, pg_table_size(oid)::float8 as heap, pg_indexes_size(oid)::float8 as indexes
  from pg_class where relname = any(${[...OF_MESSAGES, ...OF_CHUNKS]}) and relkind = 'r' order by relname`

/** Prints the bytes per message and per chunk, by table. */
export function reportSizes(name: string, { messages, chunks }: Amounts, sizes: TableSize[]): void {
  for (const [unit, tables, count] of [
    ['message', OF_MESSAGES, messages],
    ['chunk', OF_CHUNKS, chunks],
  ] as const) {
    const own = sizes.filter((size) => tables.includes(size.name))
    const each = own.map(
      (size) => `${size.name} ${Math.round(size.heap / count)} + ${Math.round(size.indexes / count)}`,
    )
    const all = own.reduce((sum, { heap, indexes }) => sum + heap + indexes, 0)
    console.error(
      `${name}: bytes per ${unit}, rows + indexes: ${each.join(', ')}; all ${Math.round(all / count)}`,
    )
  }
}
