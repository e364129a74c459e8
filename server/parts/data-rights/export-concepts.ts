import { type ExportedTable, isExported, type OwnedTables } from '#platform/tables/owned-tables.ts'

/** A JSON Lines file of an export, and the table that provides its rows. */
export interface Concept extends ExportedTable {
  table: string
}

/** Returns the files of an export in the order in which they are written. */
export const conceptsOf = (tables: OwnedTables): Concept[] =>
  Object.entries(tables).flatMap(([table, owned]) => (isExported(owned) ? [{ table, ...owned.export }] : []))
