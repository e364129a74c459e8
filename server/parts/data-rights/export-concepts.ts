import { type ExportedTable, isExported, type OwnedTables } from '#platform/tables/owned-tables.ts'

/** A file of an export and the table that it is read from. */
export interface Concept extends ExportedTable {
  table: string
}

/** Returns the files of an export in the order of writing. */
export const conceptsOf = (tables: OwnedTables): Concept[] =>
  Object.entries(tables).flatMap(([table, owned]) => (isExported(owned) ? [{ table, ...owned.export }] : []))
