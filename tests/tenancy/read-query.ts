import type { Catalogue } from './catalogue.ts'
import {
  type Fact,
  type Node,
  OTHER,
  type Outputs,
  type Relation,
  textOf,
  typeOf,
  type Value,
} from './statement.ts'

/** The relations, writes and facts of a statement. */
export interface Reading {
  relations: Relation[]
  facts: Fact[]
  /** Written rows, with the value of each column. */
  written: { table: string; columns: Map<string, Value> }[]
  /** Constructs that cannot be proven. */
  refusals: string[]
}

/** Scopes for name lookup: the relations of a query, then those of the outer queries. */
interface Names {
  relations: Relation[]
  outer: Names | null
  ctes: ReadonlyMap<string, Outputs>
}

/** Reads a parsed statement and its subqueries. */
export function readStatement(statement: Node, catalogue: Catalogue): Reading {
  const reader = new Reader(catalogue)
  reader.statement(statement, { relations: [], outer: null, ctes: new Map() }, new Set())
  return reader.reading
}

class Reader {
  readonly reading: Reading = { relations: [], facts: [], written: [], refusals: [] }
  readonly #catalogue: Catalogue

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue
  }

  /** @param outerBinds outer relations that the facts also apply to, because only matching rows remain */
  statement(node: Node, outer: Names, outerBinds: ReadonlySet<Relation>): Outputs {
    const body = node[typeOf(node)]
    switch (typeOf(node)) {
      case 'SelectStmt':
        return this.#select(body, outer, outerBinds)
      case 'InsertStmt':
        return this.#insert(body, outer)
      case 'UpdateStmt':
        return this.#change(body, outer, 'fromClause')
      case 'DeleteStmt':
        return this.#change(body, outer, 'usingClause')
      default:
        this.reading.refusals.push(`${typeOf(node)} is no statement of a tenant`)
        return { columns: [], stars: [] }
    }
  }

  #select(select: Node, outer: Names, outerBinds: ReadonlySet<Relation>): Outputs {
    const ctes = this.#ctes(select.withClause, outer)
    if (select.op && select.op !== 'SETOP_NONE') {
      const around = { ...outer, ctes }
      const sides = [select.larg, select.rarg].map((side) =>
        this.statement({ SelectStmt: side }, around, new Set()),
      )
      return unite(sides[0] as Outputs, sides[1] as Outputs)
    }
    const names: Names = { relations: [], outer, ctes }
    const own = new Set(outerBinds)
    this.#from(select.fromClause, names, own)
    this.#conditions(select.whereClause, names, own)
    const others = [
      ...(select.targetList ?? []),
      ...(select.groupClause ?? []),
      ...(select.sortClause ?? []),
      ...(select.valuesLists ?? []),
      select.havingClause,
      select.limitCount,
      select.limitOffset,
      ...(select.distinctClause ?? []),
      ...(select.windowClause ?? []),
    ]
    for (const other of others) this.#subqueriesIn(other, names)
    return this.#outputs(select.targetList, names)
  }

  #insert(insert: Node, outer: Names): Outputs {
    const ctes = this.#ctes(insert.withClause, outer)
    const around: Names = { ...outer, ctes }
    const target = this.#relation(insert.relation.alias?.aliasname, insert.relation.relname)
    const names: Names = { relations: [target], outer: around, ctes }
    const columns: string[] = (insert.cols ?? []).map((column: Node) => column.ResTarget.name)
    const select = insert.selectStmt?.SelectStmt
    if (columns.length === 0) this.reading.refusals.push(`insert into ${target.table} names no columns`)
    const rows: Value[][] = select?.valuesLists
      ? select.valuesLists.map((list: Node) =>
          list.List.items.map((item: Node) => {
            this.#subqueriesIn(item, around)
            return this.#value(item, around)
          }),
        )
      : [select ? this.#select(select, around, new Set()).columns.map(({ value }) => value) : []]
    // The target isn't a relation that is read: its rows are bound by the values written into them.
    this.reading.relations.splice(this.reading.relations.indexOf(target), 1)
    for (const row of rows)
      this.reading.written.push({
        table: target.table ?? '',
        columns: new Map(columns.map((column, index) => [column, row[index] ?? OTHER])),
      })
    if (insert.onConflictClause?.action === 'ONCONFLICT_UPDATE')
      this.#conflict(insert.onConflictClause, target, names)
    for (const item of insert.returningClause?.exprs ?? []) this.#subqueriesIn(item, names)
    // Returned rows have the values in `written`, which are proven separately.
    const first = this.reading.written.at(-1)?.columns ?? new Map<string, Value>()
    if (rows.length === 1)
      for (const [column, value] of first)
        this.reading.facts.push({
          kind: 'equal',
          left: { kind: 'column', relation: target, column },
          right: value,
          binds: new Set([target]),
        })
    return this.#outputs(insert.returningClause?.exprs, names)
  }

  /** The conflicting row is updated, so the conflict key must prove that this row belongs to the organization. */
  #conflict(clause: Node, target: Relation, names: Names): void {
    const table = this.#catalogue.get(target.table ?? '')
    const keys = (clause.infer?.indexElems ?? []).map((element: Node) => element.IndexElem?.name)
    this.#noMove(clause.targetList, target)
    for (const item of clause.targetList ?? []) this.#subqueriesIn(item, names)
    const owner = table?.organization ?? table?.parent?.column
    if (!owner || keys.includes(owner)) return
    const existing = this.#relation(target.alias, target.table ?? '')
    const inside: Names = { ...names, relations: [existing] }
    this.#conditions(clause.whereClause, inside, new Set([existing]))
  }

  #change(change: Node, outer: Names, from: 'fromClause' | 'usingClause'): Outputs {
    const ctes = this.#ctes(change.withClause, outer)
    const target = this.#relation(change.relation.alias?.aliasname, change.relation.relname)
    const names: Names = { relations: [target], outer, ctes }
    const own = new Set([target])
    this.#from(change[from], names, own)
    this.#conditions(change.whereClause, names, own)
    if (from === 'fromClause') this.#noMove(change.targetList, target)
    for (const item of change.targetList ?? []) this.#subqueriesIn(item, names)
    for (const item of change.returningClause?.exprs ?? []) this.#subqueriesIn(item, names)
    return this.#outputs(change.returningClause?.exprs, names)
  }

  /** An update must not change a row's organization, user or parent. */
  #noMove(targets: Node[] | undefined, { table }: Relation): void {
    if (table === 'organizations') return
    const { organization, user, parent } = this.#catalogue.get(table ?? '') ?? {}
    for (const { ResTarget } of targets ?? [])
      if ([organization, user, parent?.column].includes(ResTarget.name))
        this.reading.refusals.push(`${table}.${ResTarget.name} is changed`)
  }

  #ctes(clause: Node, outer: Names): ReadonlyMap<string, Outputs> {
    const ctes = new Map(outer.ctes)
    for (const { CommonTableExpr: cte } of clause?.ctes ?? []) {
      const around: Names = { ...outer, ctes: new Map(ctes) }
      const select = cte.ctequery.SelectStmt
      const isRecursive = clause.recursive && select?.op === 'SETOP_UNION'
      const named = (outputs: Outputs): Outputs => rename(outputs, cte.aliascolnames)
      if (isRecursive) {
        const base = named(this.statement({ SelectStmt: select.larg }, around, new Set()))
        // By induction: the next step of the recursion may assume the facts about the rows so far.
        const inside = { ...around, ctes: new Map(ctes).set(cte.ctename, base) }
        const step = named(this.statement({ SelectStmt: select.rarg }, inside, new Set()))
        ctes.set(cte.ctename, unite(base, step))
      } else ctes.set(cte.ctename, named(this.statement(cte.ctequery, around, new Set())))
    }
    return ctes
  }

  #from(items: Node[] | undefined, names: Names, own: Set<Relation>): void {
    for (const item of items ?? []) this.#fromItem(item, names, own)
  }

  /** Adds the relations of an item and returns them. */
  #fromItem(item: Node, names: Names, own: Set<Relation>): Relation[] {
    const add = (relation: Relation): Relation[] => {
      names.relations.push(relation)
      own.add(relation)
      return [relation]
    }
    if (item.RangeVar) {
      const { relname, alias } = item.RangeVar
      const cte = names.ctes.get(relname)
      if (cte)
        return add({ alias: alias?.aliasname ?? relname, table: null, outputs: rename(cte, alias?.colnames) })
      return add(this.#relation(alias?.aliasname, relname))
    }
    if (item.RangeSubselect) {
      const { subquery, alias } = item.RangeSubselect
      const outputs = rename(this.statement(subquery, { ...names }, new Set()), alias?.colnames)
      return add({ alias: alias?.aliasname ?? '', table: null, outputs })
    }
    if (item.RangeFunction) {
      this.#subqueriesIn(item, names)
      return add({ alias: item.RangeFunction.alias?.aliasname ?? '', table: null, outputs: null })
    }
    if (item.JoinExpr) return this.#join(item.JoinExpr, names, own)
    this.reading.refusals.push(`${typeOf(item)} in FROM is not known to the prover`)
    return []
  }

  #join(join: Node, names: Names, own: Set<Relation>): Relation[] {
    const left = this.#fromItem(join.larg, names, own)
    const right = this.#fromItem(join.rarg, names, own)
    // The condition of an outer join filters only one side.
    const bound: Record<string, Relation[]> = {
      JOIN_INNER: [...own],
      JOIN_LEFT: right,
      JOIN_RIGHT: left,
    }
    const binds = new Set(bound[join.jointype] ?? [])
    this.#conditions(join.quals, names, binds)
    for (const column of join.usingClause ?? []) {
      const name = textOf(column)
      const [a, b] = [this.#columnOf(left, name), this.#columnOf(right, name)]
      this.reading.facts.push({ kind: 'equal', left: a, right: b, binds })
    }
    return [...left, ...right]
  }

  #relation(alias: string | undefined, table: string): Relation {
    const relation = { alias: alias ?? table, table, outputs: null }
    this.reading.relations.push(relation)
    return relation
  }

  #conditions(node: Node, names: Names, binds: ReadonlySet<Relation>): void {
    if (node) this.reading.facts.push(...this.#factsOf(node, names, binds))
  }

  /** Returns the facts that are true of the rows that satisfy a condition. */
  #factsOf(node: Node, names: Names, binds: ReadonlySet<Relation>): Fact[] {
    const expression = node.A_Expr
    if (node.BoolExpr?.boolop === 'AND_EXPR')
      return node.BoolExpr.args.flatMap((arg: Node) => this.#factsOf(arg, names, binds))
    if (node.BoolExpr?.boolop === 'OR_EXPR') {
      // A fact of one alternative isn't true of all rows, so alone it binds nothing.
      const alternatives = node.BoolExpr.args.map((arg: Node) => this.#factsOf(arg, names, new Set()))
      return [{ kind: 'any', alternatives, binds }]
    }
    if (expression?.kind === 'AEXPR_OP' && textOf(expression.name[0]) === '=') {
      const { lexpr, rexpr } = expression
      this.#subqueriesIn(lexpr, names)
      this.#subqueriesIn(rexpr, names)
      if (lexpr?.RowExpr && rexpr?.RowExpr)
        return lexpr.RowExpr.args.map((arg: Node, index: number) =>
          this.#equal(arg, rexpr.RowExpr.args[index], names, binds),
        )
      return [this.#equal(lexpr, rexpr, names, binds)]
    }
    // `coalesce(condition, false)` is true where the condition is. Statements use it to hide a condition from the
    // planner's estimates.
    if (node.CoalesceExpr && isFalse(node.CoalesceExpr.args[1]))
      return this.#factsOf(node.CoalesceExpr.args[0], names, binds)
    if (node.SubLink?.subLinkType === 'EXISTS_SUBLINK') {
      this.statement(node.SubLink.subselect, names, binds)
      return []
    }
    if (node.SubLink?.subLinkType === 'ANY_SUBLINK' && !node.SubLink.operName) {
      const { testexpr, subselect } = node.SubLink
      const { columns } = this.statement(subselect, names, new Set())
      const tested: Node[] = testexpr.RowExpr?.args ?? [testexpr]
      return tested.map((arg, index) => ({
        kind: 'equal',
        left: this.#value(arg, names),
        right: columns[index]?.value ?? OTHER,
        binds,
      }))
    }
    const shared = sharedColumn(node)
    if (shared) {
      const value = this.#value(shared.node, names)
      const isOwner = (relation: Relation, column: string): boolean =>
        this.#catalogue.get(relation.table ?? '')?.organization === column
      if (value.kind === 'column' && (shared.isPublic || isOwner(value.relation, value.column)))
        return [{ kind: 'shared', relation: value.relation, binds }]
    }
    this.#subqueriesIn(node, names)
    return []
  }

  #equal(left: Node, right: Node, names: Names, binds: ReadonlySet<Relation>): Fact {
    return { kind: 'equal', left: this.#value(left, names), right: this.#value(right, names), binds }
  }

  #value(node: Node, names: Names): Value {
    if (!node) return OTHER
    if (node.TypeCast) return this.#value(node.TypeCast.arg, names)
    if (node.ParamRef) return { kind: 'param', number: node.ParamRef.number }
    if (node.SubLink?.subLinkType === 'EXPR_SUBLINK')
      return this.statement(node.SubLink.subselect, names, new Set()).columns[0]?.value ?? OTHER
    const fields: Node[] | undefined = node.ColumnRef?.fields
    if (!fields || fields.some(({ A_Star }) => A_Star)) return OTHER
    const [first, second] = fields.map(textOf)
    for (let at: Names | null = names; at; at = at.outer) {
      const places = second === undefined ? at.relations : at.relations.filter(({ alias }) => alias === first)
      const value = this.#columnOf(places, second ?? first ?? '')
      if (value.kind !== 'other' || (second !== undefined && places.length > 0)) return value
    }
    return OTHER
  }

  #columnOf(relations: readonly Relation[], column: string): Value {
    for (const relation of relations) {
      if (relation.table !== null) {
        if (this.#catalogue.get(relation.table)?.columns.has(column))
          return { kind: 'column', relation, column }
      } else if (relation.outputs) {
        const output = relation.outputs.columns.find(({ name }) => name === column)
        if (output) return output.value
        const starred = this.#columnOf(relation.outputs.stars, column)
        if (starred.kind !== 'other') return starred
      }
    }
    // A function can return any columns, so its columns are identified only by name.
    const open = relations.find(({ table, outputs }) => table === null && outputs === null)
    return open ? { kind: 'column', relation: open, column } : OTHER
  }

  #outputs(targets: Node[] | undefined, names: Names): Outputs {
    const outputs: Outputs = { columns: [], stars: [] }
    for (const { ResTarget } of targets ?? []) {
      const fields: Node[] | undefined = ResTarget.val?.ColumnRef?.fields
      if (fields?.at(-1)?.A_Star) {
        const of = fields.length > 1 ? textOf(fields[0]) : null
        outputs.stars.push(...names.relations.filter(({ alias }) => of === null || alias === of))
      } else {
        const name = ResTarget.name ?? (fields ? textOf(fields.at(-1)) : null)
        // Subqueries in an output are read with the other expressions of the query.
        const isPlain = ResTarget.val && !ResTarget.val.SubLink
        outputs.columns.push({ name, value: isPlain ? this.#value(ResTarget.val, names) : OTHER })
      }
    }
    return outputs
  }

  /** Reads every subquery in an expression. Its facts don't apply outside of it. */
  #subqueriesIn(node: Node, names: Names): void {
    if (node === null || typeof node !== 'object') return
    if (node.SubLink) {
      this.#subqueriesIn(node.SubLink.testexpr, names)
      this.statement(node.SubLink.subselect, names, new Set())
      return
    }
    for (const child of Object.values(node)) this.#subqueriesIn(child, names)
  }
}

const isFalse = (node: Node): boolean => node?.A_Const?.boolval !== undefined && !node.A_Const.boolval.boolval

/** Matches `is_public`, `is_public = true`, `organization_id is null`. */
function sharedColumn(node: Node): { node: Node; isPublic: boolean } | null {
  const isPublic = (column: Node): boolean => textOf(column?.ColumnRef?.fields.at(-1)) === 'is_public'
  if (isPublic(node)) return { node, isPublic: true }
  if (node.BooleanTest?.booltesttype === 'IS_TRUE' && isPublic(node.BooleanTest.arg))
    return { node: node.BooleanTest.arg, isPublic: true }
  if (node.NullTest?.nulltesttype === 'IS_NULL') return { node: node.NullTest.arg, isPublic: false }
  return null
}

/** Applies the column names of an alias, `as x (a, b)`. */
function rename(outputs: Outputs, names: Node[] | undefined): Outputs {
  if (!names) return outputs
  return {
    ...outputs,
    columns: outputs.columns.map((column, index) => ({
      ...column,
      name: textOf(names[index]) || column.name,
    })),
  }
}

const unite = (a: Outputs, b: Outputs): Outputs => ({
  columns: a.columns.map(({ name, value }, index) => ({
    name,
    value: { kind: 'either', values: [value, b.columns[index]?.value ?? OTHER] },
  })),
  stars: [],
})
