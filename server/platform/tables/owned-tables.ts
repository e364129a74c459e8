import type { PlainErrorCode } from '#errors'
import type { ResourceKind } from '../access/scope.ts'

/**
 * How a table with organizations' rows is audited, exported and erased. Each part and platform folder declares its
 * tables in `tables.ts`; server/tables.ts combines them. tests/house/tables.test.ts fails for an undeclared table.
 */
export interface OwnedTable {
  /** Set if a request can find its organization by a record of this table. */
  resource?: { kind: ResourceKind; notFound: PlainErrorCode; mayBePublic?: true }
  /** How changes are audited: automatically, by entries that the code writes, or not at all. */
  audit: AuditedTable | { entries: `${string}.${string}` } | Not
  /** The export file that contains its rows, the table whose file includes them, or no export. */
  export: ExportedTable | { within: string } | Not
  /** Rows are deleted with their organization by a foreign key. Large tables are first deleted in batches. */
  erasure: 'cascade' | { inPiecesBy: string } | Not
}

/** Tables by name. */
export type OwnedTables = Readonly<Record<string, OwnedTable>>

/** The reason for an exception. */
interface Not {
  not: string
}

/** A table whose changes through a Scope are all recorded: the name of a record, and its secret columns. */
export interface AuditedTable {
  type: string
  secrets: readonly string[]
}

/** A file of an export: the rows and columns of a table. Columns that are not listed are not exported. */
export interface ExportedTable {
  /** `{name}.jsonl` */
  name: string
  /** Column names, separated by white space. Columns that end in `_at` become API timestamps. */
  columns: string
  /** Additional values: SQL expressions on a row `t`. */
  computed?: Record<string, string>
  /** Columns that order the rows and never change, with their types. Default: the id. */
  key?: readonly (readonly [column: string, type: string])[]
  /** The table that these rows belong to and the referencing column, if they have no order of their own. */
  within?: { table: string; column: string }
  where?: string
  /** Maximum number of rows in memory. Default: ROWS_DEFAULT. */
  rowsMax?: number
  /** Whether a user's personal export includes it, too. Requires user_id. */
  isPersonal?: true
}

export const ROWS_DEFAULT = 500
/** For rows that contain one text each. */
export const ROWS_WITH_TEXT = 100
/** For rows that may be megabytes in size. */
export const ROWS_LARGE = 2

export const TIMES = 'created_at updated_at'
export const OWNER = 'id organization_id user_id'
export const MAKER = 'id organization_id created_by'

export const isAudited = (table: OwnedTable | undefined): table is OwnedTable & { audit: AuditedTable } =>
  table !== undefined && 'secrets' in table.audit

export const isExported = (table: OwnedTable): table is OwnedTable & { export: ExportedTable } =>
  'columns' in table.export
