import { globSync, readFileSync } from 'node:fs'
import { parseAst } from 'rolldown/parseAst'
import { nameOfTemplate } from './prover.ts'

/** An SQL template in the source. */
export interface Template {
  file: string
  line: number
  /** As returned by nameOfTemplate. */
  name: string
}

/** Files that may contain tenant statements: parts, except files that work on all tenants. */
const FILES = globSync('server/parts/**/*.ts').filter(
  (file) => !file.endsWith('.test.ts') && !file.endsWith('-system.ts'),
)

/** Returns every SQL template that a part runs for a tenant, including fragments. */
export const tenantTemplates = (): Template[] =>
  FILES.flatMap((file) => templatesIn(file, readFileSync(file, 'utf8')))

export function templatesIn(file: string, text: string): Template[] {
  // Drizzle's `sql` creates fragments of Drizzle statements, which are proven when they run.
  const [drizzles, alias = 'sql'] =
    /import \{[^}]*\bsql\b(?: as (\w+))?[^}]*\} from '#database\/drizzle\.ts'/.exec(text) ?? []
  const found: Template[] = []
  visit(parseAst(text, { lang: 'ts' }), (node) => {
    if (node['type'] !== 'TaggedTemplateExpression' || (drizzles && node['tag'].name === alias)) return
    const line = text.slice(0, node['start']).split('\n').length
    const cooked = node['quasi'].quasis.map((quasi: TreeNode) => quasi['value'].cooked)
    found.push({ file, line, name: nameOfTemplate(cooked) })
  })
  return found
}

// biome-ignore lint/suspicious/noExplicitAny: only three fields of an ESTree node are read
type TreeNode = Record<string, any>

function visit(node: unknown, see: (node: TreeNode) => void): void {
  if (node === null || typeof node !== 'object') return
  if ('type' in node) see(node)
  for (const child of Object.values(node)) visit(child, see)
}
