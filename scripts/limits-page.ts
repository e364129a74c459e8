import { type Bound, boundsOf, type Document, type Limit, limitsOf } from './limits.ts'

/** The line of docs/limits.md after which `npm run limits` writes the page. */
export const MARK = '<!-- `npm run limits` writes the rest of this page. -->\n'

/** Fields of the same name and bound in this number of parts are listed once, before the parts. */
const SHARED_BY = 4

/** Headings of the folders that are no tag of openapi.json. */
const FOLDERS: Record<string, string> = {
  '': 'Requests',
  http: 'Requests',
  idempotency: 'Requests',
  access: 'Authentication',
  ledger: 'Billing',
  models: 'Replies of models',
  bucket: 'Buckets',
  crawler: 'Websites',
  net: 'Websites',
  documents: 'Documents',
  retrieval: 'Searches of text',
  sandbox: 'Code of tools',
  storage: 'Files',
  events: 'Live events',
  mcp: 'MCP',
  'mcp-server': 'The MCP server',
  'data-rights': 'Exports and imports',
}

interface Row {
  heading: string
  bound: string
  words: string
}

/** Returns docs/limits.md with the tables that match the code. */
export function withTables(page: string, document: Document): string {
  const start = page.indexOf(MARK)
  if (start === -1) throw new Error(`docs/limits.md has no line ${MARK}`)
  const titles = new Map(document.tags.map((tag) => [tag.name, tag['x-displayName']]))
  const rows = [
    ...fieldRows(boundsOf(document), titles),
    ...limitsOf().flatMap((limit) => constantRow(limit, titles)),
  ]
  const headings = [...new Set(rows.map(({ heading }) => heading))]
  const tables = headings.map((heading) =>
    tableOf(
      heading,
      rows.filter((row) => row.heading === heading),
    ),
  )
  return `${page.slice(0, start)}${MARK}\n${tables.join('\n')}`
}

function tableOf(heading: string, rows: readonly Row[]): string {
  const byBound = Map.groupBy(rows, ({ bound }) => bound)
  const lines = [...byBound].map(([bound, some]) => {
    const words = [...new Set(some.map((row) => row.words))].join(', ')
    return `| ${bound} | ${words.charAt(0).toUpperCase()}${words.slice(1)} |`
  })
  return `### ${heading}\n\n| At most | For |\n|--:|---|\n${lines.join('\n')}\n`
}

const ORDER: readonly Bound['kind'][] = ['string', 'array', 'object', 'number', 'any']

/** Returns the rows of request fields: shorter bounds first, those of several parts before the others. */
function fieldRows(bounds: readonly Bound[], titles: ReadonlyMap<string, string>): Row[] {
  const known = bounds
    .filter(({ bound }) => bound !== null)
    .sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || sizeOf(a.bound) - sizeOf(b.bound))
  const tagsOf = (name: string, bound: string | null): number =>
    new Set(known.filter((one) => leafOf(one.path) === name && one.bound === bound).map(({ tag }) => tag))
      .size
  // If a name has several bounds, only the most frequent one is shared.
  const sharedBoundOf = new Map(
    [...Map.groupBy(known, ({ path }) => leafOf(path))].map(([name, some]) => {
      const bounds = [...new Set(some.map(({ bound }) => bound))]
      const [most = null] = bounds.sort((a, b) => tagsOf(name, b) - tagsOf(name, a))
      return [name, tagsOf(name, most) >= SHARED_BY ? most : null]
    }),
  )
  const isShared = ({ path, bound }: Bound): boolean => sharedBoundOf.get(leafOf(path)) === bound
  const [shared, own] = [known.filter(isShared), known.filter((one) => !isShared(one))]
  const rowsOf = (heading: string, some: readonly Bound[]): Row[] =>
    some.map((one) => ({ heading, bound: one.bound as string, words: `\`${nameIn(some, one)}\`` }))
  return [
    ...rowsOf('Fields of several parts', shared),
    ...[...titles].flatMap(([tag, title]) =>
      rowsOf(
        title,
        own.filter((one) => one.tag === tag),
      ),
    ),
  ]
}

const sizeOf = (bound: string | null): number =>
  Number(/([\d,.]+)\D*$/.exec(bound ?? '')?.[1]?.replaceAll(',', '') ?? 0)

const leafOf = (path: string): string =>
  path
    .replaceAll('[]', '')
    .split('.')
    .filter((name) => name !== '*')
    .at(-1) ?? ''

/** Returns the last name of a field's path, or the whole path if fields of this name have different bounds. */
function nameIn(some: readonly Bound[], { path, kind, bound }: Bound): string {
  const leaf = leafOf(path)
  const isClear = some.every((one) => one.kind !== kind || leafOf(one.path) !== leaf || one.bound === bound)
  return isClear ? leaf : path
}

function constantRow({ file, value, words }: Limit, titles: ReadonlyMap<string, string>): Row[] {
  if (words === undefined) return []
  const [, , folder = ''] = file.split('/')
  const heading = FOLDERS[folder] ?? titles.get(folder.replaceAll('-', '_')) ?? folder
  return [{ heading, bound: value, words }]
}
