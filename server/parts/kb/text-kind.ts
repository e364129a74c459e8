import { createHash } from 'node:crypto'
import { type PgColumn, type SQL, sql } from '#database/drizzle.ts'
import { DOCX, EML, EPUB, ODP, ODS, ODT, PPTX, RTF, XLSX } from '#platform/documents/accepted-types.ts'
import type { TextKind } from '#platform/documents/split-text.ts'

/** Returns the kind of text that files of a media type are converted to. */
export const textKindOf = (mimeType: string): TextKind => KINDS[mimeType] ?? 'plain'

const KINDS: Record<string, TextKind> = {
  'application/pdf': 'pages',
  [DOCX]: 'markdown',
  [XLSX]: 'table',
  [PPTX]: 'markdown',
  [ODT]: 'markdown',
  [ODS]: 'table',
  [ODP]: 'markdown',
  [RTF]: 'markdown',
  [EPUB]: 'markdown',
  [EML]: 'markdown',
  'text/csv': 'table',
  'text/markdown': 'markdown',
  'text/html': 'markdown',
}

/** Returns a text's SHA-256 in hexadecimal, which shows whether the text has changed. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/* SQL versions of the functions above, for text that stays in the database. */

export const textKindIn = (mimeType: PgColumn): SQL =>
  sql`coalesce(${JSON.stringify(KINDS)}::text::jsonb ->> ${mimeType}, 'plain')`

/** SQL version of hashOf. Null if the text is null. */
export const hashIn = (text: PgColumn): SQL => sql`encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`

/** SQL version of Buffer.byteLength, for a database that stores UTF-8. Zero if the text is null. */
export const bytesIn = (text: PgColumn): SQL => sql`coalesce(octet_length(${text}), 0)`
