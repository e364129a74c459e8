import { type Node, textOf } from '#tests/tenancy/statement.ts'

/* The relations of a query and the known nullability of their columns. */

export interface Column {
  name: string
  isNullable: boolean
}

/** The columns of each table, in table order. */
export type Tables = ReadonlyMap<string, readonly Column[]>

/** A relation of a FROM clause, or the table that an INSERT, UPDATE or DELETE changes. */
export interface Relation {
  alias: string
  columns: readonly Column[]
  /** True if the relation may have no row, because it is the nullable side of an outer join. */
  isOptional: boolean
  /** Columns that a condition excludes from being null. */
  known: Set<string>
}

export interface Names {
  relations: Relation[]
  outer: Names | null
  ctes: Map<string, readonly Column[]>
  /** True if the query has a GROUP BY. Each group has at least one row, so its aggregates have input values. */
  isGrouped: boolean
}

/** System columns of every table. */
const SYSTEM_COLUMNS = new Set(['ctid', 'xmin', 'xmax', 'tableoid'])

/** Returns the type and the fields of a node. */
export function only(node: Node): [string, Node] {
  const [entry] = Object.entries(node ?? {})
  return (entry ?? ['', {}]) as [string, Node]
}

export const nameOf = (parts: Node[]): string => textOf(parts.at(-1))
export const column = (name: string, isNullable: boolean): Column => ({ name, isNullable })

export const relationOf = (alias: string, columns: readonly Column[]): Relation => ({
  alias,
  columns,
  isOptional: false,
  known: new Set(),
})

export const rename = (columns: readonly Column[], names: Node[] | undefined): Column[] =>
  columns.map((one, index) => ({ ...one, name: textOf(names?.[index]) || one.name }))

export function makeOptional(relations: Relation[]): void {
  for (const relation of relations) {
    relation.isOptional = true
    relation.known.clear()
  }
}

export const isNullableIn = (relation: Relation, { name, isNullable }: Column): boolean =>
  (relation.isOptional || isNullable) && !relation.known.has(name)

/** Returns the relation of a column named `column` or `relation.column`. Searches from the innermost query outward. */
export function find(fields: string[], names: Names | null): { relation: Relation; name: string } | null {
  const name = fields.at(-1) ?? ''
  const alias = fields.length > 1 ? fields.at(-2) : null
  for (let scope = names; scope; scope = scope.outer) {
    const relation = scope.relations.find(
      (one) =>
        (alias === null || one.alias === alias) &&
        (SYSTEM_COLUMNS.has(name) || one.columns.some((column) => column.name === name)),
    )
    if (relation) return { relation, name }
  }
  return null
}

/**
 * Returns whether a name is a relation's alias, which means its whole row. A row is null only in an optional relation.
 */
export function isWholeRow(fields: string[], names: Names | null): boolean {
  for (let scope = names; scope; scope = scope.outer) {
    const relation = scope.relations.find(({ alias }) => alias === fields[0])
    if (relation) return !relation.isOptional
  }
  return false
}
