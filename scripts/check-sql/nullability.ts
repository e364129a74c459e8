import { type Node, parseStatement, textOf } from '#tests/tenancy/statement.ts'
import {
  type Column,
  column,
  find,
  isNullableIn,
  isWholeRow,
  makeOptional,
  type Names,
  nameOf,
  only,
  type Relation,
  relationOf,
  rename,
  type Tables,
} from './relations.ts'

/*
 * Determines which result columns of a statement may be null. PostgreSQL doesn't report this, so the code analyzes the
 * syntax tree of PostgreSQL's own parser. Unknown constructs count as nullable.
 */

/**
 * Returns the result columns of a statement in order. `nullableParameters` tells whether $1, $2 … may be null. Throws
 * if the text is not valid PostgreSQL.
 */
export function resultColumns(
  text: string,
  tables: Tables,
  nullableParameters: readonly boolean[],
): Column[] {
  const reader = new Reader(tables, nullableParameters)
  return reader.statement(parseStatement(text)[0], {
    relations: [],
    outer: null,
    ctes: new Map(),
    isGrouped: false,
  })
}

/** Functions that never return null, whatever their arguments are. */
const NEVER_NULL = new Set(
  `now clock_timestamp statement_timestamp transaction_timestamp gen_random_uuid random count concat concat_ws row_number rank
  dense_rank ntile jsonb_build_object json_build_object jsonb_build_array json_build_array array_append array_prepend
  pg_backend_pid pg_try_advisory_lock pg_try_advisory_xact_lock`.split(/\s+/),
)
/** Functions that return null only if an argument is null. */
const TOTAL = new Set(
  `lower upper length char_length octet_length abs ceil ceiling floor round trunc mod power sqrt ln log exp date_trunc
  date_part extract to_timestamp to_char to_date timezone date md5 sha256 encode decode substr left right btrim ltrim
  rtrim replace split_part lpad rpad repeat reverse format starts_with strpos position array_to_string
  string_to_array array_cat array_remove cardinality to_jsonb to_json jsonb_array_length jsonb_typeof jsonb_strip_nulls
  jsonb_set make_interval justify_hours age hashtext hashtextextended to_tsvector ts_rank ts_rank_cd width_bucket unnest
  generate_series jsonb_array_elements jsonb_object_keys regexp_replace regexp_split_to_table pg_column_size
  cosine_distance l2_distance inner_product int4 int8 numeric text substring chr ascii`.split(/\s+/),
)
/** Aggregates that return null if there are no input values. */
const AGGREGATES = new Set(
  `sum min max avg array_agg string_agg jsonb_agg json_agg jsonb_object_agg json_object_agg bool_and bool_or every
  percentile_cont percentile_disc mode first_value`.split(/\s+/),
)
/** Operators that may return null even if neither operand is null. */
const PARTIAL_OPERATORS = new Set(['->', '->>', '#>', '#>>'])
class Reader {
  readonly #tables: Tables
  readonly #nullableParameters: readonly boolean[]

  constructor(tables: Tables, nullableParameters: readonly boolean[]) {
    this.#tables = tables
    this.#nullableParameters = nullableParameters
  }

  statement(node: Node, outer: Names): Column[] {
    const [type, body] = only(node)
    if (type === 'SelectStmt') return this.#select(body, outer)
    if (type === 'InsertStmt') return this.#insert(body, outer)
    if (type === 'UpdateStmt') return this.#change(body, outer, body.fromClause)
    if (type === 'DeleteStmt') return this.#change(body, outer, body.usingClause)
    return []
  }

  #select(select: Node, outer: Names): Column[] {
    const around = { ...outer, ctes: this.#ctes(select.withClause, outer) }
    if (select.op && select.op !== 'SETOP_NONE') return this.#combined(select, around)
    if (select.valuesLists) return this.#values(select.valuesLists, around)
    const isGrouped = (select.groupClause ?? []).length > 0
    const names: Names = { relations: [], outer: around, ctes: around.ctes, isGrouped }
    for (const item of select.fromClause ?? []) this.#from(item, names)
    this.#narrow(select.whereClause, names)
    return this.#outputs(select.targetList, names)
  }

  #combined(select: Node, around: Names): Column[] {
    const left = this.#select(select.larg, around)
    const right = this.#select(select.rarg, around)
    if (select.op !== 'SETOP_UNION') return left
    return left.map(({ name, isNullable }, index) => ({
      name,
      isNullable: isNullable || (right[index]?.isNullable ?? true),
    }))
  }

  #values(lists: Node[], around: Names): Column[] {
    const rows: Node[][] = lists.map((list) => list.List.items)
    return (rows[0] ?? []).map((_, index) => ({
      name: `column${index + 1}`,
      isNullable: rows.some((row) => this.#isNullable(row[index], around)),
    }))
  }

  #insert(insert: Node, outer: Names): Column[] {
    const around = { ...outer, ctes: this.#ctes(insert.withClause, outer) }
    const target = this.#target(insert.relation)
    const select = insert.selectStmt?.SelectStmt
    const given = select ? this.#select(select, around) : []
    if (insert.onConflictClause?.action !== 'ONCONFLICT_UPDATE')
      for (const [index, column] of (insert.cols ?? []).entries())
        if (given[index]?.isNullable === false) target.known.add(column.ResTarget.name)
    const names = { relations: [target], outer: around, ctes: around.ctes, isGrouped: false }
    return this.#outputs(insert.returningClause?.exprs ?? insert.returningList, names)
  }

  #change(change: Node, outer: Names, from: Node[] | undefined): Column[] {
    const ctes = this.#ctes(change.withClause, outer)
    const target = this.#target(change.relation)
    const names: Names = { relations: [target], outer, ctes, isGrouped: false }
    for (const item of from ?? []) this.#from(item, names)
    this.#narrow(change.whereClause, names)
    const written = (change.targetList ?? []).map(({ ResTarget }: Node) => ({
      name: ResTarget.name,
      isNullable: this.#isNullable(ResTarget.val, names),
    }))
    for (const { name, isNullable } of written)
      if (isNullable) target.known.delete(name)
      else target.known.add(name)
    return this.#outputs(change.returningClause?.exprs ?? change.returningList, names)
  }

  #target(relation: Node): Relation {
    const alias = relation.alias?.aliasname ?? relation.relname
    return relationOf(alias, this.#tables.get(relation.relname) ?? [])
  }

  #ctes(clause: Node, outer: Names): Names['ctes'] {
    const ctes = new Map(outer.ctes)
    for (const { CommonTableExpr: cte } of clause?.ctes ?? []) {
      const names = { ...outer, ctes }
      const renamed = (columns: readonly Column[]) => rename(columns, cte.aliascolnames)
      const first = clause.recursive ? cte.ctequery.SelectStmt?.larg : undefined
      // A recursive query refers to itself, so its first part determines its columns.
      if (first) ctes.set(cte.ctename, renamed(this.#select(first, names)))
      ctes.set(cte.ctename, renamed(this.statement(cte.ctequery, names)))
    }
    return ctes
  }

  /** Adds the relations of a FROM item and returns them. */
  #from(item: Node, names: Names): Relation[] {
    const [type, body] = only(item)
    if (type === 'JoinExpr') return this.#join(body, names)
    const relation = this.#relation(type, body, names)
    names.relations.push(relation)
    return [relation]
  }

  #relation(type: string, body: Node, names: Names): Relation {
    const alias: string | undefined = body.alias?.aliasname
    if (type === 'RangeVar') {
      const columns =
        (body.schemaname ? undefined : names.ctes.get(body.relname)) ?? this.#tables.get(body.relname)
      return relationOf(alias ?? body.relname, rename(columns ?? [], body.alias?.colnames))
    }
    if (type === 'RangeSubselect')
      return relationOf(alias ?? '', rename(this.statement(body.subquery, names), body.alias?.colnames))
    if (type === 'RangeFunction') return this.#functionRelation(body, alias, names)
    throw new Error(`${type} in a FROM clause is not known`)
  }

  #functionRelation(body: Node, alias: string | undefined, names: Names): Relation {
    const calls: Node[] = body.functions.map(({ List }: Node) => List.items[0])
    // Rows that the server itself passes as JSON. Their columns count as not null, because no schema declares them.
    const defined: Column[] = (body.coldeflist ?? []).map(({ ColumnDef }: Node) =>
      column(ColumnDef.colname, false),
    )
    if (defined.length > 0) return relationOf(alias ?? '', defined)
    const call = calls[0]?.FuncCall
    const name = call ? nameOf(call.funcname) : ''
    // unnest of several arrays has one column per array. The arrays have equal lengths.
    const results: Node[] = name === 'unnest' ? call.args : calls
    const columns = results.map((result, index) => ({
      name: results.length === 1 ? (alias ?? name) : `${name}${index}`,
      isNullable: this.#isNullable(result, names),
    }))
    if (name.endsWith('_each')) columns.splice(0, 1, column('key', false), column('value', false))
    if (name.endsWith('_each_text')) columns.splice(0, 1, column('key', false), column('value', true))
    if (body.ordinality) columns.push(column('ordinality', false))
    return relationOf(alias ?? name, rename(columns, body.alias?.colnames))
  }

  #join(join: Node, names: Names): Relation[] {
    const left = this.#from(join.larg, names)
    const right = this.#from(join.rarg, names)
    if (join.jointype === 'JOIN_INNER') this.#narrow(join.quals, names)
    if (join.jointype === 'JOIN_LEFT' || join.jointype === 'JOIN_FULL') makeOptional(right)
    if (join.jointype === 'JOIN_RIGHT' || join.jointype === 'JOIN_FULL') makeOptional(left)
    return [...left, ...right]
  }

  /** Records which columns a condition excludes from being null. */
  #narrow(condition: Node, names: Names): void {
    if (!condition) return
    const [type, body] = only(condition)
    if (type === 'BoolExpr' && body.boolop === 'AND_EXPR')
      for (const arg of body.args) this.#narrow(arg, names)
    if (type === 'NullTest' && body.nulltesttype === 'IS_NOT_NULL') this.#know(body.arg, names)
    if (type === 'SubLink' && body.testexpr) this.#know(body.testexpr, names)
    if (type === 'ColumnRef') this.#know(condition, names)
    if (type !== 'A_Expr' || body.kind === 'AEXPR_DISTINCT' || body.kind === 'AEXPR_NOT_DISTINCT') return
    this.#know(body.lexpr, names)
    if (body.kind === 'AEXPR_OP' || body.kind === 'AEXPR_OP_ANY') this.#know(body.rexpr, names)
  }

  /** Records that the columns from which a non-null value is computed are not null either. */
  #know(node: Node, names: Names): void {
    if (!node) return
    const [type, body] = only(node)
    if (type === 'TypeCast') this.#know(body.arg, names)
    if (type === 'RowExpr') for (const arg of body.args) this.#know(arg, names)
    if (type === 'FuncCall' && TOTAL.has(nameOf(body.funcname)))
      for (const arg of body.args ?? []) this.#know(arg, names)
    if (type === 'A_Expr' && body.kind === 'AEXPR_OP') {
      this.#know(body.lexpr, names)
      this.#know(body.rexpr, names)
    }
    if (type !== 'ColumnRef') return
    const found = find(body.fields.map(textOf), names)
    if (!found) return
    found.relation.isOptional = false
    found.relation.known.add(found.name)
  }

  #outputs(targets: Node[] | undefined, names: Names): Column[] {
    return (targets ?? []).flatMap(({ ResTarget: target }: Node): Column[] => {
      const fields: Node[] | undefined = target.val.ColumnRef?.fields
      if (!fields?.at(-1)?.A_Star) {
        const name = target.name ?? (fields ? textOf(fields.at(-1)) : '?column?')
        return [{ name, isNullable: this.#isNullable(target.val, names) }]
      }
      const alias = fields.length > 1 ? textOf(fields[0]) : null
      return names.relations
        .filter((relation) => alias === null || relation.alias === alias)
        .flatMap((relation) =>
          relation.columns.map((one) => ({ name: one.name, isNullable: isNullableIn(relation, one) })),
        )
    })
  }

  #isNullable(node: Node, names: Names): boolean {
    if (!node) return true
    const [type, body] = only(node)
    const someIs = (nodes: Node[] | undefined): boolean =>
      (nodes ?? []).some((one) => this.#isNullable(one, names))
    switch (type) {
      case 'A_Const':
        return body.isnull === true
      case 'ParamRef':
        return this.#nullableParameters[body.number - 1] ?? true
      case 'ColumnRef':
        return this.#isColumnNullable(body.fields.map(textOf), names)
      case 'TypeCast':
      case 'CollateClause':
        return this.#isNullable(body.arg, names)
      case 'BoolExpr':
        return someIs(body.args)
      case 'CoalesceExpr':
      case 'MinMaxExpr':
        return body.args.every((one: Node) => this.#isNullable(one, names))
      case 'CaseExpr':
        return (
          !body.defresult ||
          someIs([...body.args.map(({ CaseWhen }: Node) => CaseWhen.result), body.defresult])
        )
      case 'A_Expr':
        return this.#isOperatorNullable(body, names)
      case 'FuncCall':
        return this.#isCallNullable(body, names)
      case 'SubLink':
        return this.#isSubqueryNullable(body, names)
      case 'NullTest':
      case 'BooleanTest':
      case 'A_ArrayExpr':
      case 'RowExpr':
      case 'SQLValueFunction':
      case 'GroupingFunc':
        return false
      default:
        return true
    }
  }

  #isColumnNullable(fields: string[], names: Names): boolean {
    const found = find(fields, names)
    if (!found) return !isWholeRow(fields, names)
    const known = found.relation.columns.find(({ name }) => name === found.name)
    return known ? isNullableIn(found.relation, known) : found.relation.isOptional
  }

  #isOperatorNullable(body: Node, names: Names): boolean {
    if (body.kind === 'AEXPR_DISTINCT' || body.kind === 'AEXPR_NOT_DISTINCT') return false
    if (body.kind === 'AEXPR_NULLIF' || PARTIAL_OPERATORS.has(nameOf(body.name))) return true
    const right: Node[] = body.rexpr?.List?.items ?? [body.rexpr]
    return [body.lexpr, ...right].some((side) => side && this.#isNullable(side, names))
  }

  #isCallNullable(call: Node, names: Names): boolean {
    const name = nameOf(call.funcname)
    if (NEVER_NULL.has(name)) return false
    const isSomeArgument = (call.args ?? []).some((one: Node) => this.#isNullable(one, names))
    if (TOTAL.has(name)) return isSomeArgument
    const seesRows = (names.isGrouped || call.over) && !call.agg_filter
    return !(AGGREGATES.has(name) && seesRows && !isSomeArgument)
  }

  #isSubqueryNullable(link: Node, names: Names): boolean {
    if (link.subLinkType === 'EXISTS_SUBLINK' || link.subLinkType === 'ARRAY_SUBLINK') return false
    const [output] = this.statement(link.subselect, names)
    if (link.subLinkType === 'ANY_SUBLINK')
      return this.#isNullable(link.testexpr, names) || (output?.isNullable ?? true)
    return !hasOneRow(link.subselect.SelectStmt) || (output?.isNullable ?? true)
  }
}

/** Returns whether a query always returns exactly one row: an aggregate, or a query without FROM and WHERE. */
function hasOneRow(select: Node): boolean {
  if (!select || select.groupClause || select.havingClause || (select.op && select.op !== 'SETOP_NONE'))
    return false
  const call = select.targetList?.[0]?.ResTarget.val
  return (!select.fromClause && !select.whereClause) || isAggregate(call)
}

function isAggregate(node: Node): boolean {
  const [type, body] = only(node)
  if (type === 'TypeCast') return isAggregate(body.arg)
  if (type === 'CoalesceExpr') return body.args.some(isAggregate)
  if (type === 'A_Expr') return isAggregate(body.lexpr) || isAggregate(body.rexpr)
  if (type !== 'FuncCall') return false
  const name = nameOf(body.funcname)
  const isOne = (name === 'count' || AGGREGATES.has(name)) && !body.over
  return isOne || (body.args ?? []).some(isAggregate)
}
