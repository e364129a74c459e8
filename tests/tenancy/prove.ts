import type { Catalogue, ForeignKey, Table } from './catalogue.ts'
import { type Reading, readStatement } from './read-query.ts'
import { type Fact, type Node, parseStatement, type Relation, type Value } from './statement.ts'

/*
 * Proves that a statement cannot reach rows of another tenant. Every tenant table in it, at every level, must be
 * bound to the organization (and to the user, if its rows are private) by a condition on every row: directly, by
 * equality with a bound column, or through a foreign or unique key of a bound row. Rows with a parent instead of
 * an organization are bound through the id of a bound parent.
 */

/** The numbers of the parameters that contain the scope's organization and user. */
export interface OwnerParams {
  organization: ReadonlySet<number>
  user: ReadonlySet<number>
}

/** The owner that a column identifies: the organization, the user, or a parent by its table name. */
type Owner = string

const ownersOf = ({ organization, user, parent }: Table): Owner[] => [
  ...(organization === null ? [] : ['organization']),
  ...(user === null ? [] : ['user']),
  ...(parent === null ? [] : [parent.table]),
]

/** Returns the column of a table that contains the owner's id. */
function columnOf(table: Table | undefined, owner: Owner): string | null {
  if (owner === 'organization') return table?.organization ?? null
  if (owner === 'user') return table?.user ?? null
  return table?.parent?.table === owner ? table.parent.column : null
}

/** Returns an error for each unbound table, or an empty list if the statement is proven. */
export const prove = (text: string, params: OwnerParams, catalogue: Catalogue): string[] =>
  parseStatement(text).flatMap((statement) => proveParsed(statement, params, catalogue))

export function proveParsed(statement: Node, params: OwnerParams, catalogue: Catalogue): string[] {
  const reading = readStatement(statement, catalogue)
  const proof = new Proof(reading, params, catalogue)
  return [...reading.refusals, ...proof.unbound()]
}

class Proof {
  readonly #reading: Reading
  readonly #params: OwnerParams
  readonly #catalogue: Catalogue
  /** Columns that contain the owner's id in each resulting row. */
  readonly #known = new Map<Owner, Map<Relation, Set<string>>>()
  #hasChanged = true

  constructor(reading: Reading, params: OwnerParams, catalogue: Catalogue) {
    this.#reading = reading
    this.#params = params
    this.#catalogue = catalogue
    const parents = new Set([...catalogue.values()].flatMap(({ parent }) => parent?.table ?? []))
    for (const owner of ['organization', 'user', ...parents]) this.#known.set(owner, new Map())
    while (this.#hasChanged) {
      this.#hasChanged = false
      for (const fact of reading.facts) for (const owner of this.#known.keys()) this.#follow(fact, owner)
      for (const relation of reading.relations)
        if (parents.has(relation.table ?? '') && this.#isBound(relation, 'organization'))
          this.#note(relation, 'id', relation.table ?? '')
    }
  }

  unbound(): string[] {
    const read = this.#reading.relations.flatMap((relation) => {
      const table = this.#catalogue.get(relation.table ?? '')
      const owners = table ? ownersOf(table) : []
      return owners
        .filter((owner) => !this.#isBound(relation, owner))
        .map((owner) => `${relation.table} ${relation.alias} is not bound to the ${owner}`)
    })
    const written = this.#reading.written.flatMap(({ table: name, columns }) => {
      const table = this.#catalogue.get(name)
      const owners = table && name !== 'organizations' ? ownersOf(table) : []
      return owners
        .filter((owner) => {
          const value = columns.get(columnOf(table, owner) ?? '')
          return !(value && this.#holds(value, owner))
        })
        .map((owner) => `a row of ${name} is written without the ${owner}`)
    })
    return [...read, ...written]
  }

  #isBound(relation: Relation, owner: Owner): boolean {
    const column = columnOf(this.#catalogue.get(relation.table ?? ''), owner)
    return column !== null && this.#isKnown(relation, column, owner)
  }

  #isKnown(relation: Relation, column: string, owner: Owner): boolean {
    return this.#known.get(owner)?.get(relation)?.has(column) ?? false
  }

  /** Returns whether a value always equals the owner's id. */
  #holds(value: Value, owner: Owner): boolean {
    if (value.kind === 'param')
      return (owner === 'organization' || owner === 'user') && this.#params[owner].has(value.number)
    if (value.kind === 'column') return this.#isKnown(value.relation, value.column, owner)
    return value.kind === 'either' && value.values.every((one) => this.#holds(one, owner))
  }

  #note(relation: Relation, column: string, owner: Owner): void {
    const columns = this.#known.get(owner)?.get(relation) ?? new Set()
    if (columns.has(column)) return
    this.#known.get(owner)?.set(relation, columns.add(column))
    this.#hasChanged = true
  }

  #noteBound(relation: Relation, owner: Owner): void {
    const column = columnOf(this.#catalogue.get(relation.table ?? ''), owner)
    if (column !== null) this.#note(relation, column, owner)
  }

  #follow(fact: Fact, owner: Owner): void {
    if (fact.kind === 'shared') return
    if (fact.kind === 'any') {
      for (const relation of fact.binds)
        if (fact.alternatives.every((facts) => facts.some((one) => this.#frees(one, relation, owner))))
          this.#noteBound(relation, owner)
      return
    }
    const { left, right, binds } = fact
    for (const [value, other] of [
      [left, right],
      [right, left],
    ] as const) {
      if (value.kind !== 'column') continue
      if (binds.has(value.relation) && this.#holds(other, owner))
        this.#note(value.relation, value.column, owner)
      if (other.kind === 'column') this.#followKey(value.relation, other.relation, binds, owner)
      if (other.kind === 'either')
        for (const one of other.values)
          if (one.kind === 'column' && this.#leads(value, other, owner))
            this.#noteIf(value.relation, binds, owner)
    }
  }

  /**
   * Returns whether an alternative of an OR keeps a relation within the tenant: its rows are shared with all, or
   * belong to the owner.
   */
  #frees(fact: Fact, relation: Relation, owner: Owner): boolean {
    if (fact.kind === 'shared') return fact.relation === relation
    if (fact.kind === 'any')
      return fact.alternatives.every((facts) => facts.some((one) => this.#frees(one, relation, owner)))
    const column = columnOf(this.#catalogue.get(relation.table ?? ''), owner)
    return [
      [fact.left, fact.right],
      [fact.right, fact.left],
    ].some(
      ([value, other]) =>
        value?.kind === 'column' &&
        value.relation === relation &&
        value.column === column &&
        other !== undefined &&
        this.#holds(other, owner),
    )
  }

  #noteIf(relation: Relation, binds: ReadonlySet<Relation>, owner: Owner): void {
    if (binds.has(relation)) this.#noteBound(relation, owner)
  }

  /** Returns whether every branch of a UNION refers to a row of the owner. */
  #leads(value: Value & { kind: 'column' }, either: Value & { kind: 'either' }, owner: Owner): boolean {
    return either.values.every(
      (one) =>
        one.kind === 'column' &&
        this.#isBound(one.relation, owner) &&
        this.#isKeyBetween(value.relation, one.relation, owner, [[value.column, one.column]]),
    )
  }

  /** Marks a relation as bound if a key links its rows to rows of the owner, in either direction of the key. */
  #followKey(relation: Relation, other: Relation, binds: ReadonlySet<Relation>, owner: Owner): void {
    if (!binds.has(relation) || this.#isBound(relation, owner) || !this.#isBound(other, owner)) return
    const pairs = this.#reading.facts.flatMap((fact) => {
      if (fact.kind !== 'equal') return []
      const { left, right } = fact
      if (left.kind !== 'column' || right.kind !== 'column') return []
      if (left.relation === relation && right.relation === other)
        return [[left.column, right.column] as const]
      if (right.relation === relation && left.relation === other)
        return [[right.column, left.column] as const]
      return []
    })
    if (this.#isKeyBetween(relation, other, owner, pairs)) this.#noteBound(relation, owner)
  }

  #isKeyBetween(
    relation: Relation,
    other: Relation,
    owner: Owner,
    pairs: readonly (readonly [string, string])[],
  ): boolean {
    const [mine, theirs] = [relation, other].map(({ table }) => this.#catalogue.get(table ?? ''))
    if (!mine || !theirs) return false
    const reversed = pairs.map(([a, b]) => [b, a] as const)
    return (
      mine.foreignKeys.some((key) => leadsTo(key, mine, theirs, owner, pairs)) ||
      theirs.foreignKeys.some((key) => leadsTo(key, theirs, mine, owner, reversed)) ||
      // Both relations are the same row: equal in all key columns except those that name the owner.
      (mine === theirs &&
        mine.keys.some((key) => key.every((column) => pairs.some(([a, b]) => a === column && b === column))))
    )
  }
}

/** Returns whether a foreign key includes the owner's column and the statement compares its other columns. */
function leadsTo(
  { columns, target, targetColumns }: ForeignKey,
  from: Table,
  to: Table,
  owner: Owner,
  pairs: readonly (readonly [string, string])[],
): boolean {
  const [mine, theirs] = [columnOf(from, owner), columnOf(to, owner)]
  if (target !== to.name || !mine || !theirs || targetColumns[columns.indexOf(mine)] !== theirs) return false
  const owners = [from.organization, from.user]
  return columns.every(
    (column, index) =>
      owners.includes(column) || pairs.some(([a, b]) => a === column && b === targetColumns[index]),
  )
}
