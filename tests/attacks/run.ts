import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findPostgres, startPostgres } from '#tests/support/postgres.ts'
import { makeBrokenCopy } from './broken-copy.ts'
import type { Break, Outcome, Row } from './row.ts'
import { ROWS } from './rows.ts'
import { type Place, ROOT, startStage } from './stage.ts'
import { type RowResult, writeDocs } from './write-docs.ts'

/*
 * `npm run test:attacks -- [--only NAME] [--seed NUMBER] [--cases NUMBER] [--prove] [--write-docs]`: attacks the
 * product and prints one line per row. With --prove, also removes each defense in a copy of the source, where the row
 * must fail. Exits with 1 if any check fails.
 */

const DEFAULT_SEED = 1
/** Maximum number of cases in which a row must detect a removed defense. */
const PROVE_CASES_MAX = 3_000

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string', default: String(DEFAULT_SEED) },
    cases: { type: 'string' },
    prove: { type: 'boolean', default: false },
    'write-docs': { type: 'boolean', default: false },
  },
})
const seed = Number(options.seed)
/** Shows more failures if only one row runs. */
const failuresShown = options.only === undefined ? 10 : 100
const rows = ROWS.filter(({ name }) => options.only === undefined || name === options.only)
if (rows.length === 0) throw new Error(`--only takes one of: ${ROWS.map(({ name }) => name).join(', ')}`)

const databases = await openDatabases()
let isGood = true
const results: RowResult[] = []
try {
  for (const row of rows) {
    if (options.prove) await prove(row)
    else await attack(row)
  }
} finally {
  await databases.close()
}
if (options['write-docs'] && results.length === ROWS.length) writeDocs(results)
process.exitCode = isGood ? 0 : 1

/** Runs a row and reports its failures. No attack may succeed. */
async function attack(row: Row): Promise<void> {
  const { cases, failures } = await run(row, ROOT, row.cases.full)
  report(row.name, `${cases.toLocaleString('en')} cases`, `${failures.length} failures`, failures)
  results.push({ name: row.name, cases, failures: failures.length, breaks: row.brokenBy.length })
  if (failures.length > 0 || cases === 0) isGood = false
}

/**
 * Runs a row against the intact product, where no attack may succeed, and against each broken copy, where an attack
 * must succeed.
 */
async function prove(row: Row): Promise<void> {
  const cases = Math.min(row.cases.full, PROVE_CASES_MAX)
  const { failures } = await run(row, ROOT, cases)
  report(row.name, 'intact', `${failures.length} failures`, failures)
  if (failures.length > 0) isGood = false
  for (const { without, edits } of row.brokenBy) {
    const found = await runBroken(row, edits, cases)
    const verdict = found.length > 0 ? `${found.length} failures, as expected` : 'PASSES, BUT MUST FAIL'
    report(row.name, `without ${without}`, verdict, found.slice(0, 1))
    if (found.length === 0) isGood = false
  }
}

async function runBroken(row: Row, edits: Break['edits'], cases: number): Promise<string[]> {
  const copy = makeBrokenCopy(edits)
  try {
    return (await run(row, copy.root, cases)).failures
  } finally {
    copy.remove()
  }
}

async function run(row: Row, root: string, cases: number): Promise<Outcome> {
  const stage = await startStage({ root, createDatabase: databases.create })
  try {
    return await row.run(stage, { seed, cases: Number(options.cases ?? cases) })
  } finally {
    await stage.stop()
  }
}

function report(name: string, what: string, verdict: string, failures: readonly string[]): void {
  console.log(`${name.padEnd(16)} ${what.padEnd(16)} ${verdict}`)
  for (const failure of failures.slice(0, failuresShown)) console.log(`  ${failure}`)
}

/**
 * Returns a function that creates a PostgreSQL database. If PostgreSQL isn't installed (scripts/get-postgres.sh), the
 * function returns null, and the product uses its embedded database.
 */
async function openDatabases(): Promise<{ create: Place['createDatabase']; close(): Promise<void> }> {
  if (findPostgres() === undefined) return { create: async () => null, close: async () => {} }
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-postgres-'))
  const postgres = await startPostgres({ dataDir })
  return {
    async create() {
      const name = `attacks_${crypto.randomUUID()}`
      await postgres.createDatabase(name)
      return { url: postgres.url(name), drop: async () => {} }
    },
    async close() {
      await postgres.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
