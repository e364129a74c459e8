import type { LookupErrorCode } from '#errors'
import type { ResourceKind } from '../access/scope.ts'

/**
 * Declares how a table with organizations' rows is audited, exported and erased. Each part and platform folder
 * declares its tables in `tables.ts`, and server/tables.ts combines the declarations. tests/house/tables.test.ts
 * fails for an undeclared table.
 */
export interface OwnedTable {
  /** Set if a record of this table can determine a request's organization. */
  resource?: { kind: ResourceKind; notFound: LookupErrorCode; mayBePublic?: true }
  /** How changes are audited: automatically, by explicit entries with this action, or not at all. */
  audit: AuditedTable | { entries: `${string}.${string}` } | Not
  /** How rows are exported: to a file of their own, in the file of another table, or not at all. */
  export: ExportedTable | { within: string } | Not
  /**
   * How rows are deleted with their organization: by a cascading foreign key, or not at all. `inPiecesBy` names a
   * column for deleting the rows of a large table in batches before the cascade.
   */
  erasure: 'cascade' | { inPiecesBy: string } | Not
}

/** Tables by name. */
export type OwnedTables = Readonly<Record<string, OwnedTable>>

/** The reason why the table is not audited, exported or erased. */
interface Not {
  not: string
}

/**
 * A table whose changes through a Scope are all recorded. `type` names a record in audit actions, and the values of
 * the columns in `secrets` are hidden.
 */
export interface AuditedTable {
  type: string
  secrets: readonly string[]
}

/** A file of an export, with rows and columns of a table. Columns that are not listed are not exported. */
export interface ExportedTable {
  /** Name of the file without its extension `.jsonl`. */
  name: string
  /** Column names, separated by white space. Columns that end in `_at` become API timestamps. */
  columns: string
  /** Additional values by name, as SQL expressions on a row `t`. */
  computed?: Record<string, string>
  /** Columns that order the rows, with their SQL types. Their values never change. Default: the id. */
  key?: readonly (readonly [column: string, type: string])[]
  /**
   * For rows without an order of their own: the table that they belong to, and the column that references that table.
   */
  within?: { table: string; column: string }
  where?: string
  /** Maximum number of rows in memory at a time. Default: ROWS_DEFAULT. */
  rowsMax?: number
  /** True if a user's personal export includes the file. Requires the column user_id. */
  isPersonal?: true
}

export const ROWS_DEFAULT = 500
/** `rowsMax` for rows that each contain a text, such as a prompt. */
export const ROWS_WITH_TEXT = 100
/** `rowsMax` for rows that may be several megabytes in size. */
export const ROWS_LARGE = 2

export const TIMES = 'created_at updated_at'
export const OWNER = 'id organization_id user_id'
export const MAKER = 'id organization_id created_by'

export const isAudited = (table: OwnedTable | undefined): table is OwnedTable & { audit: AuditedTable } =>
  table !== undefined && 'secrets' in table.audit

export const isExported = (table: OwnedTable): table is OwnedTable & { export: ExportedTable } =>
  'columns' in table.export
