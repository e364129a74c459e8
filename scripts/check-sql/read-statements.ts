import { FragmentReader, isFragment, type Piece } from './fragments.ts'
import ts from './typescript.ts'

/*
 * Finds the SQL statements of a program: tagged templates that are not part of another template. Fragments are
 * inserted where they are used, through constants, functions and conditions.
 */

/** A parameter of a statement. */
export interface Parameter {
  isNullable: boolean
  /** The type that the driver announces. Null if the server infers the type. */
  type: 'bytea' | 'boolean' | 'timestamptz' | null
}

/** A statement as it is sent, for one combination of its conditions. */
export interface Statement {
  /** The location of the template: `file:line` from the root of the project. */
  place: string
  text: string
  parameters: Parameter[]
  /** The row type. Null if the template names none. */
  row: ts.Type | null
  /** Whether its rows are used. */
  isUsed: boolean
}

export interface Program {
  statements: Statement[]
  /** Templates that cannot be read statically, and why. */
  unread: { place: string; reason: string }[]
  sources: ts.SourceFile[]
  checker: ts.TypeChecker
}

/** Reads the statements of TypeScript files. `config` is the path of the tsconfig.json whose options apply. */
export function readStatements(files: readonly string[], config: string): Program {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} }
  const options = ts.getParsedCommandLineOfConfigFile(config, {}, host)?.options ?? {}
  const program = ts.createProgram(files, options)
  const checker = program.getTypeChecker()
  const sources = files.map((file) => program.getSourceFile(file)).filter((file) => file !== undefined)
  const reader = new FragmentReader(checker, sources)
  const templates = sources.flatMap((file) => templatesIn(file, checker))
  const read = templates.map((template) => ({ template, ...reader.read(template) }))
  const root = ts.sys.getCurrentDirectory()
  const placeOf = (template: ts.TaggedTemplateExpression): string => {
    const file = template.getSourceFile()
    const { line } = file.getLineAndCharacterOfPosition(template.getStart())
    return `${file.fileName.replace(`${root}/`, '')}:${line + 1}`
  }
  // A fragment is checked as part of the templates that contain it.
  const whole = read.filter(({ template }) => !reader.contained.has(template))
  return {
    checker,
    sources,
    statements: whole
      .flatMap(({ template, variants }) =>
        variants.map((pieces) => ({
          place: placeOf(template),
          ...textOf(pieces, checker),
          row: rowOf(template, checker),
          isUsed: isUsed(template),
        })),
      )
      // An empty template is a branch of a condition.
      .filter(({ text }) => text !== ''),
    unread: whole.flatMap(({ template, unread }) =>
      unread.map((reason) => ({ place: placeOf(template), reason })),
    ),
  }
}

function templatesIn(file: ts.SourceFile, checker: ts.TypeChecker): ts.TaggedTemplateExpression[] {
  const found: ts.TaggedTemplateExpression[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isTaggedTemplateExpression(node) && isFragment(node, checker)) found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

function textOf(pieces: Piece[], checker: ts.TypeChecker): Pick<Statement, 'text' | 'parameters'> {
  const parameters: Parameter[] = []
  const text = pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece
      parameters.push(parameterOf(piece, checker))
      return `$${parameters.length}`
    })
    .join('')
  return { text, parameters }
}

function parameterOf(value: ts.Expression, checker: ts.TypeChecker): Parameter {
  const type = checker.getTypeAtLocation(value)
  const given = checker.getNonNullableType(type)
  const name = checker.typeToString(given)
  return {
    isNullable: type !== given,
    type: /^(Buffer|Uint8Array)\b/.test(name)
      ? 'bytea'
      : name === 'Date'
        ? 'timestamptz'
        : given.flags & ts.TypeFlags.BooleanLike || name === 'boolean'
          ? 'boolean'
          : null,
  }
}

/** Returns the row type of `sql<Row[]>` or `sql<[Row]>`. */
function rowOf(template: ts.TaggedTemplateExpression, checker: ts.TypeChecker): ts.Type | null {
  const [argument] = template.typeArguments ?? []
  if (!argument) return null
  const rows = checker.getTypeFromTypeNode(argument)
  const row = checker.getIndexTypeOfType(rows, ts.IndexKind.Number)
  return row ? checker.getNonNullableType(row) : null
}

/** Returns false if the statement is only awaited, that is, sent for its effect. */
function isUsed(template: ts.TaggedTemplateExpression): boolean {
  const { parent } = template
  return !(ts.isAwaitExpression(parent) && ts.isExpressionStatement(parent.parent))
}
