import { loadModule, parseSync } from 'libpg-query'

/*
 * Converts a statement from PostgreSQL's own parser (libpg-query) into the form that the proof uses: queries,
 * their relations, and facts that are true of every resulting row.
 */

await loadModule()

/** A node of PostgreSQL's parse tree: one key that names its type, or plain fields. */
// biome-ignore lint/suspicious/noExplicitAny: the parse tree has 250 node types, of which the proof reads about 20
export type Node = any

const trees = new Map<string, Node[]>()

/** Parses a text, with a cache. Throws if PostgreSQL's grammar rejects it. */
export function parseStatement(text: string): Node[] {
  let tree = trees.get(text)
  if (!tree) {
    tree = parseSync(text).stmts?.map(({ stmt }: Node) => stmt) ?? []
    trees.set(text, tree as Node[])
  }
  return tree as Node[]
}

/** A value in a statement, in the detail that the proof needs. */
export type Value =
  | { kind: 'param'; number: number }
  | { kind: 'column'; relation: Relation; column: string }
  /** One of several values: a column of a UNION. */
  | { kind: 'either'; values: Value[] }
  | { kind: 'other' }

/** A relation in a FROM clause, or the target of a change. */
export interface Relation {
  alias: string
  /** The name of its table; null for a subquery, a function or a list of values. */
  table: string | null
  /** The values of a subquery's columns. */
  outputs: Outputs | null
}

export interface Outputs {
  /** The columns in order; a name is null if it is unknown. */
  columns: { name: string | null; value: Value }[]
  /** Relations whose columns are all returned (`select *`, `select c.*`). */
  stars: Relation[]
}

/** A fact that is true of every row of the query in which it occurs. */
export type Fact =
  | { kind: 'equal'; left: Value; right: Value; binds: ReadonlySet<Relation> }
  /** Rows of the relation are public, or belong to no organization. */
  | { kind: 'shared'; relation: Relation; binds: ReadonlySet<Relation> }
  /** In each row, the facts of at least one alternative are true. */
  | { kind: 'any'; alternatives: Fact[][]; binds: ReadonlySet<Relation> }

export const OTHER: Value = { kind: 'other' }

export const typeOf = (node: Node): string => Object.keys(node)[0] ?? ''

export const textOf = (node: Node): string => node?.String?.sval ?? ''
