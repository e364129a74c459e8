import { loadModule, parseSync } from 'libpg-query'

/*
 * Finds statements of a migration that break the previous release, which may still run on the same database
 * (docs/releases.md). PostgreSQL's own parser reads the statements.
 */

/** A comment that permits the statement after it. Names the first release that no longer uses what the statement removes. */
const MARKER = /^\s*--\s*contract: unused since (\d+\.\d+\.\d+)\s*$/m

type Node = Record<string, unknown>

await loadModule()

/**
 * Returns the destructive statements of a migration. `released` are the versions in the changelog, of which a marker
 * must name one.
 */
export function destructiveStatements(migration: string, released: readonly string[]): string[] {
  const statements = migration.split('--> statement-breakpoint').flatMap(splitStatements)
  const created = new Set(statements.flatMap(({ node }) => createdTable(node)))
  const withDefault = new Set(statements.flatMap(({ node }) => columnsWithDefault(node)))
  return statements.flatMap(({ text, node }) => {
    const faults = faultsOf(node, created, withDefault)
    const marker = MARKER.exec(text)?.[1]
    if (faults.length === 0 || (marker && released.includes(marker))) return []
    return marker ? [`${faults.join(', ')}: ${marker} is not a released version`] : faults
  })
}

/** Splits the text between two breakpoints, which may have several statements, each with the comments before it. */
function splitStatements(text: string): { text: string; node: Node }[] {
  const bytes = Buffer.from(text) // the parser counts bytes
  const { stmts } = parseSync(text) as { stmts: { stmt: Node; stmt_location?: number; stmt_len?: number }[] }
  let from = 0
  return stmts.map(({ stmt, stmt_location: at = 0, stmt_len: length }) => {
    const end = length === undefined ? bytes.length : at + length
    const statement = bytes.toString('utf8', from, end)
    from = end
    return { text: statement, node: stmt }
  })
}

function faultsOf(node: Node, created: ReadonlySet<string>, withDefault: ReadonlySet<string>): string[] {
  const [[kind = '', body] = []] = Object.entries(node) as [string, Node][]
  if (kind === 'TruncateStmt') return ['truncates a table']
  if (kind === 'RenameStmt') return [`renames to ${body?.['newname']}`]
  if (kind === 'AlterEnumStmt' && body?.['oldVal']) return [`renames the value ${body['oldVal']}`]
  if (kind === 'DropStmt' && body?.['removeType'] !== 'OBJECT_INDEX')
    return [`drops ${String(body?.['removeType']).replace('OBJECT_', '').toLowerCase()}`]
  if (kind !== 'AlterTableStmt' || created.has(tableOf(body))) return []
  return commandsOf(body).flatMap((command) => faultOfCommand(tableOf(body), command, withDefault))
}

function faultOfCommand(table: string, command: Node, withDefault: ReadonlySet<string>): string[] {
  const column = `${table}.${command['name'] ?? definitionOf(command)['colname']}`
  switch (command['subtype']) {
    case 'AT_DropColumn':
      return [`drops column ${column}`]
    case 'AT_AlterColumnType':
      return [`changes the type of ${column}`]
    case 'AT_SetNotNull':
      return withDefault.has(column) ? [] : [`sets ${column} not null without a default`]
    case 'AT_ColumnDefault':
      return command['def'] ? [] : [`drops the default of ${column}`]
    case 'AT_AddColumn': {
      const isRequired = ['CONSTR_NOTNULL', 'CONSTR_PRIMARY'].some((kind) => hasConstraint(command, kind))
      return isRequired && !withDefault.has(column) ? [`adds ${column} not null without a default`] : []
    }
    default:
      return []
  }
}

/** The columns of an ALTER TABLE that have a default: PostgreSQL fills them when the previous release inserts a row. */
function columnsWithDefault(node: Node): string[] {
  const body = node['AlterTableStmt'] as Node | undefined
  return commandsOf(body).flatMap((command) => {
    const isSet = command['subtype'] === 'AT_ColumnDefault' && command['def'] !== undefined
    const isAdded = ['CONSTR_DEFAULT', 'CONSTR_GENERATED', 'CONSTR_IDENTITY'].some((kind) =>
      hasConstraint(command, kind),
    )
    if (!isSet && !isAdded) return []
    return [`${tableOf(body)}.${command['name'] ?? definitionOf(command)['colname']}`]
  })
}

const createdTable = (node: Node): string[] =>
  'CreateStmt' in node ? [tableOf(node['CreateStmt'] as Node)] : []
const tableOf = (body: Node | undefined): string =>
  String((body?.['relation'] as Node | undefined)?.['relname'])
const commandsOf = (body: Node | undefined): Node[] =>
  ((body?.['cmds'] ?? []) as Node[]).map((one) => one['AlterTableCmd'] as Node)
const definitionOf = (command: Node): Node =>
  ((command['def'] as Node | undefined)?.['ColumnDef'] ?? {}) as Node
const hasConstraint = (command: Node, kind: string): boolean =>
  ((definitionOf(command)['constraints'] ?? []) as Node[]).some(
    (one) => (one['Constraint'] as Node)['contype'] === kind,
  )
