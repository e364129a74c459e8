import { createHash } from 'node:crypto'
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
