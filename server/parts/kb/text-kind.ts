import { createHash } from 'node:crypto'
import { type PgColumn, type SQL, sql } from '#database/drizzle.ts'
import { DOCX, XLSX } from '#platform/documents/accepted-types.ts'
import type { TextKind } from '#platform/documents/split-text.ts'

/** How the text of a file of this type is written. */
export const textKindOf = (mimeType: string): TextKind => KINDS[mimeType] ?? 'plain'

const KINDS: Record<string, TextKind> = {
  'application/pdf': 'pages',
  [DOCX]: 'markdown',
  [XLSX]: 'table',
  'text/csv': 'table',
  'text/markdown': 'markdown',
  'text/html': 'markdown',
}

/** By which a text is known again. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/* The same of texts that stay in the database, in SQL. */

export const textKindIn = (mimeType: PgColumn): SQL =>
  sql`coalesce(${JSON.stringify(KINDS)}::text::jsonb ->> ${mimeType}, 'plain')`

/** Null where there is no text. */
export const hashIn = (text: PgColumn): SQL => sql`encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`

/** As Buffer.byteLength counts them, since databases are in UTF-8; 0 where there is no text. */
export const bytesIn = (text: PgColumn): SQL => sql`coalesce(octet_length(${text}), 0)`
