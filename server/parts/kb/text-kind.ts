import { createHash } from 'node:crypto'
import { type PgColumn, type SQL, sql } from '#database/drizzle.ts'
import { DOCX, XLSX } from '#platform/documents/accepted-types.ts'
import type { TextKind } from '#platform/documents/split-text.ts'

/** Returns the text kind that a file type is converted to. */
export const textKindOf = (mimeType: string): TextKind => KINDS[mimeType] ?? 'plain'

const KINDS: Record<string, TextKind> = {
  'application/pdf': 'pages',
  [DOCX]: 'markdown',
  [XLSX]: 'table',
  'text/csv': 'table',
  'text/markdown': 'markdown',
  'text/html': 'markdown',
}

/** Returns the SHA-256 that detects changed texts. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/* SQL versions of the above, for texts that stay in the database. */

export const textKindIn = (mimeType: PgColumn): SQL =>
  sql`coalesce(${JSON.stringify(KINDS)}::text::jsonb ->> ${mimeType}, 'plain')`

/** Null without a text. */
export const hashIn = (text: PgColumn): SQL => sql`encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`

/** Same as Buffer.byteLength, since databases use UTF-8; 0 without a text. */
export const bytesIn = (text: PgColumn): SQL => sql`coalesce(octet_length(${text}), 0)`
