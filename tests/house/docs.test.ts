import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

/** Checks that the files and links in the docs exist, and that the page with a worked endpoint shows tested code. */

const PAGES = globSync([
  '*.md',
  'docs/**/*.md',
  'deploy/*.md',
  'packages/*/README.md',
  'tests/attacks/*.md',
  'server/**/*.md',
  'console/**/README.md',
  'widget/**/README.md',
]).filter((page) => !page.includes('node_modules'))
/** Base folders of paths in docs. Paths in a README are also relative to its folder. */
const ROOTS = ['.', 'server', 'server/parts', 'server/platform', 'console/src', 'docs']

const EXAMPLE = 'tests/examples/bookmarks'
const INVARIANTS = 15
const CONTRIBUTING_LINES_MAX = 100

test('the worked endpoint equals the tested source', () => {
  const page = readFileSync('docs/request-lifecycle.md', 'utf8')
  const shown = [...page.matchAll(/^`(tests\/examples\/[^`]+)`\n\n```\w+\n([\s\S]*?)^```$/gm)].map(
    ([, path = '', text]) => [path, text],
  )
  const files = globSync(`${EXAMPLE}/*`).map((path) => [path, readFileSync(path, 'utf8')])
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(files))
})

test('each invariant names its owner and its test', () => {
  const { Invariants: section = '' } = sectionsOf(readFileSync('docs/ARCHITECTURE.md', 'utf8'))
  const rows = [
    ...section.matchAll(/^\| \d+ \| .* \| `(server\/[^`]+)` \| `((?:tests|server)\/[^`]+\.test\.ts)` \|$/gm),
  ]
  expect(rows).toHaveLength(INVARIANTS)
  const files = rows.flatMap(([, owner = '', held = '']) => [owner, held])
  expect(files.filter((file) => !existsSync(file))).toEqual([])
})

test('CONTRIBUTING fits on one page', () => {
  expect(readFileSync('CONTRIBUTING.md', 'utf8').split('\n').length).toBeLessThanOrEqual(
    CONTRIBUTING_LINES_MAX,
  )
})

test.each(PAGES)('every link and file in %s exists', (page) => {
  const text = readFileSync(page, 'utf8')
  const links = [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)].map(([, link = '']) => link)
  expect(links.filter((link) => !existsSync(join(dirname(page), link)))).toEqual([])
  const files = [...text.matchAll(/`([\w./-]+\.(?:ts|tsx|sql|json))`/g)].map(([, file = '']) => file)
  // Names that begin with a slash are URL paths.
  const named = files.filter((file) => /^[^/]+\//.test(file))
  const roots = [...ROOTS, dirname(page)]
  expect(named.filter((file) => !roots.some((root) => existsSync(join(root, file))))).toEqual([])
})

/** Returns the sections of a page by their second-level headings. */
const sectionsOf = (text: string): Record<string, string> =>
  Object.fromEntries(text.split(/^## /m).map((part) => [part.slice(0, part.indexOf('\n')), part]))
