import { loadModule, parseSync } from 'libpg-query'

/*
 * A statement as PostgreSQL's own parser reads it (libpg-query), brought into the shape that the proof needs: queries,
 * their relations, and the facts that hold for every row that comes out.
 */

await loadModule()

/** A node of PostgreSQL's parse tree: one key that names its type, or plain fields. */
// biome-ignore lint/suspicious/noExplicitAny: the parse tree has 250 types of nodes, of which some 20 are looked at
export type Node = any

const trees = new Map<string, Node[]>()

/** Parses a text once. Throws where PostgreSQL's grammar does not take it. */
export function parseStatement(text: string): Node[] {
  let tree = trees.get(text)
  if (!tree) {
    tree = parseSync(text).stmts?.map(({ stmt }: Node) => stmt) ?? []
    trees.set(text, tree as Node[])
  }
  return tree as Node[]
}

/** A value in a statement, as far as the proof follows it. */
export type Value =
  | { kind: 'param'; number: number }
  | { kind: 'column'; relation: Relation; column: string }
  /** One of several: a column of a UNION. */
  | { kind: 'either'; values: Value[] }
  | { kind: 'other' }

/** A relation in a FROM clause, or the target of a change. */
export interface Relation {
  alias: string
  /** The name of its table; null: a subquery, a function or a list of values. */
  table: string | null
  /** What the columns of a subquery stand for. */
  outputs: Outputs | null
}

export interface Outputs {
  /** In their order; null: the column has no name that is known. */
  columns: { name: string | null; value: Value }[]
  /** Relations all of whose columns come out (`select *`, `select c.*`). */
  stars: Relation[]
}

/** Holds for every row that comes out of the query that it was found in. */
export type Fact =
  | { kind: 'equal'; left: Value; right: Value; binds: ReadonlySet<Relation> }
  /** Rows of the relation are public, or belong to no organization. */
  | { kind: 'shared'; relation: Relation; binds: ReadonlySet<Relation> }
  /** In each row the facts of one of these hold. */
  | { kind: 'any'; alternatives: Fact[][]; binds: ReadonlySet<Relation> }

export const OTHER: Value = { kind: 'other' }

export const typeOf = (node: Node): string => Object.keys(node)[0] ?? ''

export const textOf = (node: Node): string => node?.String?.sval ?? ''
