import type { Problem } from './check.ts'
import type { Program } from './read-statements.ts'
import ts from './typescript.ts'

/*
 * Finds lost updates, which undo a change that another transaction made in between:
 *
 * - A function reads a row without a lock, and writes a value of it back. Follows values through the constants and
 *   callbacks of the function, and into the functions that it awaits.
 * - A statement replaces a whole JSON value, in a function that never locks the row.
 *
 * A condition that compares what was read allows the statement, as does a comment `Unlocked: <reason>` before it.
 */

const ALLOWED = /\bUnlocked: \S/
/** Properties that never change. */
const FIXED = new Set(['id', 'organizationId', 'userId', 'createdAt', 'createdBy'])
const LOCKING = /\bfor (?:no key )?update\b|\bpg_advisory_xact_lock\b/i

type Tables = ReadonlySet<string>
const NONE: Tables = new Set()

/**
 * Returns the statements that may undo a change.
 *
 * @param json the JSON columns by table, in the spelling of the database
 */
export function findLostUpdates(
  { sources, checker }: Pick<Program, 'sources' | 'checker'>,
  json: ReadonlyMap<string, ReadonlySet<string>>,
): Problem[] {
  const root = `${ts.sys.getCurrentDirectory()}/`
  return sources.flatMap((file) => {
    const placeOf = (node: ts.Node): string =>
      `${file.fileName.replace(root, '')}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
    return outermostFunctions(file).flatMap((scope) => {
      const writes = writesIn(scope)
      if (writes.length === 0) return []
      const locked = lockedIn(scope)
      const back = writtenBack(scope, writes, checker).map(({ node, table }) => ({
        place: placeOf(node),
        sentence: `writes back a value of ${table} that was read without a lock`,
      }))
      const whole = writes.flatMap(({ node, table, columns }) => {
        const column = columns.find((name) => json.get(table)?.has(name))
        if (column === undefined || locked.has(table) || back.some(({ place }) => place === placeOf(node)))
          return []
        return [{ place: placeOf(node), sentence: `replaces ${table}.${column} without a lock on the row` }]
      })
      return [...back, ...whole]
    })
  })
}

/** Returns the JSON columns that files with Drizzle's tables declare, by table. */
export function jsonColumnsOf(schemas: readonly string[]): Map<string, Set<string>> {
  const columns = new Map<string, Set<string>>()
  for (const [, table = '', body = ''] of schemas.flatMap((text) => [
    ...text.matchAll(/pgTable\(\s*'([a-z_]+)'((?:(?!pgTable\()[\s\S])*)/g),
  ]))
    columns.set(table, new Set([...body.matchAll(/\bjsonb?\('([a-z_]+)'\)/g)].map(([, name = '']) => name)))
  return columns
}

function outermostFunctions(file: ts.SourceFile): ts.Node[] {
  const found: ts.Node[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) found.push(node)
    else ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

interface Write {
  node: ts.Node
  table: string
  /** The columns that are set to given values. */
  columns: readonly string[]
  values: readonly ts.Node[]
  conditions: readonly ts.Node[]
}

function writtenBack(scope: ts.Node, writes: readonly Write[], checker: ts.TypeChecker): Write[] {
  const read = new Map<ts.Symbol, Set<string>>()

  /** Returns the tables whose rows, read without a lock, determine a value. */
  const tablesOf = (node: ts.Node): Tables => {
    if (ts.isPropertyAccessExpression(node) && FIXED.has(node.name.text)) return NONE
    const own =
      readBy(node) ??
      (ts.isCallExpression(node) && ts.isAwaitExpression(node.parent) ? readByHelper(node, checker) : null)
    if (own) return own
    if (ts.isIdentifier(node)) {
      const { parent } = node
      const isName = ts.isPropertyAccessExpression(parent) && parent.name === node
      const symbol = ts.isShorthandPropertyAssignment(parent)
        ? checker.getShorthandAssignmentValueSymbol(parent)
        : checker.getSymbolAtLocation(node)
      return (!isName && symbol && read.get(symbol)) || NONE
    }
    const found = new Set<string>()
    ts.forEachChild(node, (child) => {
      for (const table of tablesOf(child)) found.add(table)
    })
    return found
  }

  const bind = (name: ts.BindingName, tables: Tables): void => {
    if (tables.size === 0) return
    if (!ts.isIdentifier(name)) {
      for (const element of name.elements)
        if (ts.isBindingElement(element) && !FIXED.has((element.propertyName ?? element.name).getText()))
          bind(element.name, tables)
      return
    }
    const symbol = checker.getSymbolAtLocation(name)
    if (symbol) read.set(symbol, new Set([...(read.get(symbol) ?? []), ...tables]))
  }

  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.initializer) bind(node.name, tablesOf(node.initializer))
    if (ts.isForOfStatement(node) && ts.isVariableDeclarationList(node.initializer))
      for (const { name } of node.initializer.declarations) bind(name, tablesOf(node.expression))
    // The parameters of a callback are values of the list.
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const tables = tablesOf(node.expression.expression)
      for (const callback of node.arguments)
        if (ts.isArrowFunction(callback)) for (const { name } of callback.parameters) bind(name, tables)
    }
    ts.forEachChild(node, visit)
  }
  visit(scope)
  return writes.filter(
    ({ table, values, conditions }) =>
      values.some((value) => tablesOf(value).has(table)) &&
      !conditions.some((condition) => tablesOf(condition).has(table)),
  )
}

/** Returns the tables that a called function reads without a lock. Null if it reads none. */
function readByHelper({ expression }: ts.CallExpression, checker: ts.TypeChecker): Tables | null {
  const symbol = ts.isIdentifier(expression) && checker.getSymbolAtLocation(expression)
  if (!symbol) return null
  const { valueDeclaration: declared } =
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const body = declared && ts.isVariableDeclaration(declared) ? declared.initializer : declared
  if (!body || !ts.isFunctionLike(body)) return null
  const found = new Set<string>()
  const visit = (node: ts.Node): void => {
    for (const table of readBy(node) ?? []) found.add(table)
    ts.forEachChild(node, visit)
  }
  visit(body)
  return found.size === 0 ? null : found
}

/** Returns the tables whose rows the function locks. */
function lockedIn(scope: ts.Node): Set<string> {
  const found = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isTaggedTemplateExpression(node) && LOCKING.test(partsOf(node).join('$')))
      for (const table of tablesRead(partsOf(node).join('$'))) found.add(table)
    if (ts.isCallExpression(node) && nameOfCall(node) === 'select' && isLocking(node))
      found.add(snakeCase(node.arguments[0]?.getText() ?? ''))
    ts.forEachChild(node, visit)
  }
  visit(scope)
  return found
}

const isLocking = ({ arguments: [, options] }: ts.CallExpression): boolean =>
  options !== undefined && /\block\b/.test(options.getText())

const tablesRead = (text: string): string[] =>
  [...text.matchAll(/\b(?:from|join) ([a-z_]+)/g)].map(([, table = '']) => table)

function writesIn(scope: ts.Node): Write[] {
  const found: Write[] = []
  const visit = (node: ts.Node): void => {
    const write = writeOf(node)
    if (write && !isAllowed(node)) found.push(write)
    ts.forEachChild(node, visit)
  }
  visit(scope)
  return found
}

/** Returns the tables that an expression itself reads without a lock. Null if it is no statement. */
function readBy(node: ts.Node): Tables | null {
  if (ts.isCallExpression(node) && nameOfCall(node) === 'select') {
    const [table] = node.arguments
    if (!table || !ts.isIdentifier(table)) return null
    return isLocking(node) ? NONE : new Set([snakeCase(table.text)])
  }
  if (!ts.isTaggedTemplateExpression(node)) return null
  const text = partsOf(node).join('$')
  if (
    LOCKING.test(text) ||
    !/^\s*(?:select|with)\b/i.test(text) ||
    /\b(?:update|delete|insert)\b/i.test(text)
  )
    return null
  return new Set(tablesRead(text))
}

function writeOf(node: ts.Node): Write | null {
  if (ts.isCallExpression(node) && nameOfCall(node) === 'update') {
    const [table, condition, values] = node.arguments
    if (!table || !ts.isIdentifier(table) || !condition || !values) return null
    const columns = assignedIn(values).map(snakeCase)
    return { node, table: snakeCase(table.text), columns, values: [values], conditions: [condition] }
  }
  if (!ts.isTaggedTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node.template)) return null
  const parts = partsOf(node)
  const [, table] = /\bupdate ([a-z_]+)(?: (?:as )?[a-z_]+)?\s+set\b/i.exec(parts.join('$')) ?? []
  if (table === undefined) return null
  const columns = [...parts.join('$').matchAll(/\b([a-z_]+) = \$(?:::\w+)*(?!\s*\|\||[\w:])/g)].map(
    ([, name = '']) => name,
  )
  const inserted = /\binsert into ([a-z_]+)/i.exec(parts.join('$'))?.[1]
  const values: ts.Node[] = []
  const conditions: ts.Node[] = []
  let isCondition = inserted === undefined
  node.template.templateSpans.forEach(({ expression }, index) => {
    const before = parts[index] ?? ''
    const [last] = [...before.matchAll(/\b(set|where|values|on)\b/gi)].slice(-1)
    if (last) isCondition = /where|on/i.test(last[1] ?? '')
    ;(isCondition ? conditions : values).push(expression)
  })
  return { node, table, columns, values, conditions }
}

/** Returns the names of the properties that an object literal sets, also in its spreads. */
function assignedIn(values: ts.Node): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isShorthandPropertyAssignment(node)) found.push(node.name.text)
    if (ts.isPropertyAssignment(node)) found.push(node.name.getText())
    else ts.forEachChild(node, visit)
  }
  visit(values)
  return found
}

const partsOf = ({ template }: ts.TaggedTemplateExpression): string[] =>
  ts.isNoSubstitutionTemplateLiteral(template)
    ? [template.text]
    : [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)]

const nameOfCall = ({ expression }: ts.CallExpression): string | undefined =>
  ts.isPropertyAccessExpression(expression) ? expression.name.text : undefined

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Returns whether a comment of the statement states why it may write back what it has read. */
function isAllowed(node: ts.Node): boolean {
  let statement = node
  while (statement.parent && !ts.isStatement(statement)) statement = statement.parent
  const text = statement.getSourceFile().text
  return (ts.getLeadingCommentRanges(text, statement.getFullStart()) ?? []).some(({ pos, end }) =>
    ALLOWED.test(text.slice(pos, end)),
  )
}
