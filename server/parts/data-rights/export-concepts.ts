import { type ExportedTable, isExported, type OwnedTables } from '#platform/tables/owned-tables.ts'

/** One file of an export, and the table that it is read from. */
export interface Concept extends ExportedTable {
  table: string
}

/** The files of an export, in the order in which they are written. */
export const conceptsOf = (tables: OwnedTables): Concept[] =>
  Object.entries(tables).flatMap(([table, owned]) => (isExported(owned) ? [{ table, ...owned.export }] : []))
