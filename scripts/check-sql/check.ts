import postgres from 'postgres'
import { resultColumns } from './nullability.ts'
import type { Program, Statement } from './read-statements.ts'
import type { Column, Tables } from './relations.ts'
import ts from './typescript.ts'

/** An error in a statement. */
export interface Problem {
  place: string
  sentence: string
}

/**
 * Checks each statement against a database. PostgreSQL prepares it, which finds unknown names. Then its result columns
 * are compared with the template's row type.
 */
export async function checkStatements(
  { statements, checker }: Program,
  databaseUrl: string,
): Promise<Problem[]> {
  const sql = postgres(databaseUrl, { max: 4, onnotice: () => {}, fetch_types: false })
  try {
    const tables = await readTables(sql)
    const found = await Promise.all(
      statements.map(async (statement) => {
        const sentences = await check(statement, { sql, tables, checker })
        return sentences.map((sentence) => ({ place: statement.place, sentence }))
      }),
    )
    return unique(found.flat())
  } finally {
    await sql.end()
  }
}

interface Against {
  sql: postgres.Sql
  tables: Tables
  checker: ts.TypeChecker
}

async function check(statement: Statement, against: Against): Promise<string[]> {
  let described: { columns: { name: string; type: number }[] }
  try {
    described = (await against.sql
      .unsafe(statement.text, statement.parameters.map(sample))
      .describe()) as unknown as typeof described
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error
    return [`${error.message}${near(statement.text, error)}`]
  }
  const nullable = resultColumns(
    statement.text,
    against.tables,
    statement.parameters.map(({ isNullable }) => isNullable),
  )
  const columns = described.columns ?? []
  if (nullable.length !== columns.length)
    return [`returns ${columns.length} columns, but the parser found ${nullable.length}`]
  if (!statement.row)
    return columns.length > 0 && statement.isUsed
      ? [`has no row type, but returns ${columns.map(({ name }) => name).join(', ')}`]
      : []
  return compare(columns, nullable, statement.row, against.checker)
}

/** Returns a sample value of a parameter. From this value, the driver derives the type that it sends to PostgreSQL. */
const sample = ({ type }: Statement['parameters'][number]): postgres.ParameterOrJSON<never> =>
  type === 'timestamptz' ? new Date() : type === 'boolean' ? true : type === 'bytea' ? Buffer.alloc(0) : null

function near(text: string, error: postgres.PostgresError): string {
  const position = Number(error.position)
  return Number.isFinite(position)
    ? ` (at: ${text.slice(position - 1, position + 40).replace(/\s+/g, ' ')})`
    : ''
}

function compare(
  columns: readonly { name: string; type: number }[],
  nullable: readonly Column[],
  row: ts.Type,
  checker: ts.TypeChecker,
): string[] {
  const problems: string[] = []
  const properties = new Map(checker.getPropertiesOfType(row).map((property) => [property.name, property]))
  for (const [index, { name, type }] of columns.entries()) {
    const property = properties.get(name)
    if (!property) continue
    const declared = checker.getTypeOfSymbol(property)
    const text = checker.typeToString(declared)
    if (nullable[index]?.isNullable && !acceptsNull(declared))
      problems.push(`${name} may be null, but its type is ${text}`)
    const expected = TYPES.get(type) ?? 'string'
    if (!fits(checker.getNonNullableType(declared), expected, checker))
      problems.push(`${name} is ${expected}, but its type is ${text}`)
  }
  const returned = new Set(columns.map(({ name }) => name))
  for (const [name, property] of properties)
    if (!returned.has(name) && !(property.flags & ts.SymbolFlags.Optional))
      problems.push(`the row type has ${name}, but the statement doesn't return it`)
  return problems
}

const ANY = ts.TypeFlags.Any | ts.TypeFlags.Unknown

const acceptsNull = (type: ts.Type): boolean =>
  (type.flags & (ANY | ts.TypeFlags.Null)) !== 0 || (type.isUnion() && type.types.some(acceptsNull))

/** The driver's JavaScript type by the type OID of PostgreSQL. All other types are strings. */
const TYPES = new Map<number, string>([
  [16, 'boolean'],
  [17, 'Buffer'],
  ...[21, 23, 26, 700, 701].map((type): [number, string] => [type, 'number']),
  ...[114, 3802].map((type): [number, string] => [type, 'json']),
  [1000, 'boolean[]'],
  [1001, 'Buffer[]'],
  ...[1005, 1007, 1028, 1021, 1022].map((type): [number, string] => [type, 'number[]']),
  ...[1009, 1015, 1016, 2951, 1231, 1185, 1182, 1003].map((type): [number, string] => [type, 'string[]']),
  ...[199, 3807].map((type): [number, string] => [type, 'json[]']),
])

function fits(declared: ts.Type, expected: string, checker: ts.TypeChecker): boolean {
  if (declared.flags & ANY || expected === 'json') return true
  if (expected.endsWith('[]')) {
    const element = checker.getIndexTypeOfType(declared, ts.IndexKind.Number)
    return element !== undefined && fits(checker.getNonNullableType(element), expected.slice(0, -2), checker)
  }
  if (expected === 'Buffer') return /^(Buffer|Uint8Array)\b/.test(checker.typeToString(declared))
  const primitive = {
    boolean: checker.getBooleanType(),
    number: checker.getNumberType(),
    string: checker.getStringType(),
  }[expected]
  if (!primitive) return false
  return checker.isTypeAssignableTo(declared, primitive) || checker.isTypeAssignableTo(primitive, declared)
}

async function readTables(sql: postgres.Sql): Promise<Tables> {
  const columns = await sql<{ table: string; name: string; isNullable: boolean }[]>`
    select c.relname as "table", a.attname as name, not a.attnotnull as "isNullable"
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p', 'v')
    order by c.relnamespace = 'public'::regnamespace, c.relname, a.attnum`
  return Map.groupBy(columns, ({ table }) => table)
}

const unique = (problems: Problem[]): Problem[] => [
  ...new Map(problems.map((problem) => [`${problem.place} ${problem.sentence}`, problem])).values(),
]
