import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'

/*
 * `npm run test:quick [-- <commit>]`: runs the tests that the changes since `main`, or since that commit, most likely
 * break: the house tests, tests that import a changed file without starting the whole server, and some tests that call
 * the API of a changed part. Imports through the server are ignored, because nearly every test starts the server. The
 * gate runs everything.
 */

const HOUSE = 'tests/house/'
/** Maximum numbers of tests to run, chosen to finish within a minute on two cores. */
const CALLING_MAX = 8
const IMPORTING_MAX = 12
/** These files import the whole server. */
const WHOLE = ['server/main.ts', 'server/app.ts']
const TESTS = [
  'server/**/*.test.ts',
  'packages/*/src/**/*.test.ts',
  'console/src/**/*.test.{ts,tsx}',
  'tests/{contract,faults,house,journeys,widget}/**/*.test.ts',
]

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)

const base = git('merge-base', process.argv[2] ?? 'main', 'HEAD')[0] ?? 'HEAD'
const changed = new Set([
  ...git('diff', '--name-only', base),
  ...git('ls-files', '--others', '--exclude-standard'),
])
const aliases = Object.entries(
  JSON.parse(readFileSync('package.json', 'utf8')).imports as Record<string, string>,
)
const importsOf = new Map<string, string[]>()

const textOf = (file: string): string => readFileSync(file, 'utf8')

function resolve(from: string, name: string): string[] {
  if (name.startsWith('.')) return [join(dirname(from), name)]
  for (const [alias, target] of aliases) {
    const prefix = alias.replace('*', '')
    if (alias.endsWith('*') ? name.startsWith(prefix) : name === alias)
      return [join('.', target.replace('*', name.slice(prefix.length)))]
  }
  return []
}

function listImports(file: string): string[] {
  const known = importsOf.get(file)
  if (known) return known
  const names = [...textOf(file).matchAll(/(?:from|import|import\() ?'([^']+)'/g)].map(
    ([, name = '']) => name,
  )
  const imported = names.flatMap((name) => resolve(file, name)).filter((path) => existsSync(path))
  importsOf.set(file, imported)
  return imported
}

/** Returns the number of imports between a file and a changed one. Ignores imports through the whole server. */
function distanceOf(file: string): number {
  const seen = new Set<string>()
  let next = [file]
  for (let distance = 0; next.length > 0; distance++) {
    if (next.some((one) => changed.has(one))) return distance
    for (const one of next) seen.add(one)
    const imported = next.filter((one) => !WHOLE.includes(one)).flatMap(listImports)
    next = [...new Set(imported)].filter((one) => !seen.has(one))
  }
  return Number.POSITIVE_INFINITY
}

/** The API paths of the changed parts, such as `/api/kb`. */
const changedParts = [...changed].flatMap((file) => /^server\/parts\/[^/]+(?=\/)/.exec(file)?.[0] ?? [])
const addresses = new Set(
  [...new Set(changedParts)].flatMap((part) =>
    globSync(`${part}/*.ts`).flatMap((file) => textOf(file).match(/(?<=')\/api\/[a-z_]+/g) ?? []),
  ),
)

/** Returns how often a test, or a module of tests/support that it imports, contains one of these paths. */
function countCalls(file: string): number {
  const own = listImports(file).filter((path) => path.startsWith('tests/support/'))
  return [file, ...own].map(textOf).reduce((sum, text) => {
    const named = [...addresses].map((address) => text.split(`${address}/`).length - 1)
    return named.reduce((one, other) => one + other, sum)
  }, 0)
}

const tests = globSync(TESTS)
const importing = tests
  .map((file) => ({ file, distance: file.startsWith(HOUSE) ? Number.POSITIVE_INFINITY : distanceOf(file) }))
  .filter(({ distance }) => Number.isFinite(distance))
  .sort((one, other) => one.distance - other.distance)
  .map(({ file }) => file)
const calling = tests
  .map((file) => ({ file, calls: importing.includes(file) ? 0 : countCalls(file) }))
  .filter(({ calls }) => calls > 0)
  .sort((one, other) => other.calls - one.calls)
  .map(({ file }) => file)
const chosen = [...importing.slice(0, IMPORTING_MAX), ...calling.slice(0, CALLING_MAX)]
const left = importing.length + calling.length - chosen.length
console.log(
  `${changed.size} changed files: running ${chosen.length} tests and tests/house. ${left} more related tests run in the gate.`,
)
process.exitCode = spawnSync('vitest', ['run', HOUSE, ...chosen], { stdio: 'inherit' }).status ?? 1
