import { globSync, readFileSync } from 'node:fs'
import { parseAst } from 'rolldown/parseAst'

/*
 * Finds functions that read what tenants, providers, websites and other servers write. By convention, the name of such a
 * parameter says so: `text`, `html`, `body`, `line` and the others of HOSTILE. Identifiers, names, URLs and settings have
 * other names.
 */

const FILES = ['server/**/*.ts', 'packages/*/src/**/*.ts', 'console/src/**/*.{ts,tsx}', 'widget/**/*.ts']
const LEFT_OUT = /\.test\.|node_modules|generated|\/example-|\/messages\//

/** Names of parameters with text or data of others. */
const HOSTILE = new Set(
  (
    'text texts html xml markdown prose source raw body message reply answer written shown output line chunk piece ' +
    'data bytes content events accept cookies directives schema inputSchema given page words postings segments ' +
    'functionText header headers'
  ).split(' '),
)
const TYPES = /^(?:readonly )?(?:string|unknown|Buffer|Uint8Array)(?:\[\])?(?: \| (?:null|undefined))?$/

/** An exported function, or a class with a public method, whose parameter is hostile. */
export interface HostileFunction {
  file: string
  name: string
  parameter: string
}

interface Node {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

export const findHostileFunctions = (): HostileFunction[] =>
  globSync(FILES)
    .filter((file) => !LEFT_OUT.test(file))
    .sort()
    .flatMap((file) => hostileIn(file, readFileSync(file, 'utf8')))

export function hostileIn(file: string, text: string): HostileFunction[] {
  const { body } = parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }) as unknown as { body: Node[] }
  return body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration') return []
    return functionsIn(statement['declaration'] as Node | null).flatMap(([name, node]) => {
      const parameter = hostileParameterOf(node, text)
      return parameter === undefined ? [] : [{ file, name, parameter }]
    })
  })
}

/** Returns the functions that a declaration exports. Methods have the name of their class. */
function functionsIn(declaration: Node | null): [name: string, node: Node][] {
  const nameOf = (node: Node): string => String((node['id'] as Node | null)?.['name'] ?? '')
  if (declaration?.type === 'FunctionDeclaration') return [[nameOf(declaration), declaration]]
  if (declaration?.type === 'VariableDeclaration')
    return (declaration['declarations'] as Node[]).flatMap((one): [string, Node][] => {
      const value = one['init'] as Node | null
      return value?.type === 'ArrowFunctionExpression' ? [[nameOf(one), value]] : []
    })
  if (declaration?.type !== 'ClassDeclaration') return []
  return ((declaration['body'] as Node)['body'] as Node[])
    .filter(
      ({ type, kind, key }) =>
        type === 'MethodDefinition' && kind === 'method' && (key as Node).type === 'Identifier',
    )
    .map((method) => [nameOf(declaration), method['value'] as Node])
}

/** Returns the name of a hostile parameter. Undefined for asynchronous functions, which read it with others. */
function hostileParameterOf(node: Node, text: string): string | undefined {
  const written = (one: Node | null | undefined): string =>
    one ? text.slice(one.start, one.end).replace(/^:\s*/, '') : ''
  const { async: isAsync, returnType, params } = node as Node & { params: Node[] }
  if (isAsync || /\b(?:Promise|Fragment|SQL)\b/.test(written(returnType as Node | null))) return undefined
  const found = params.find((one) => {
    const { name, typeAnnotation, type } = (one.type === 'AssignmentPattern' ? one['left'] : one) as Node
    const declared = written(typeAnnotation as Node | null).trim()
    const isText = type === 'Identifier' && declared === '' && isTextual(one['right'])
    return HOSTILE.has(String(name)) && (isText || TYPES.test(declared))
  })
  return found && String(((found['left'] ?? found) as Node)['name'])
}

/** Whether a default value is a string. */
const isTextual = (value: unknown): boolean => typeof (value as Node | undefined)?.['value'] === 'string'
