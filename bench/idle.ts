import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { findFreePort } from '../tests/support/free-port.ts'
import { startPostgres } from '../tests/support/postgres.ts'
import { afterStart, POSTGRES_SETTINGS } from './parley.ts'
import { readProcessTrees, startNode } from './processes.ts'

/*
 * Measures what a server costs that nobody uses, embedded and on PostgreSQL:
 *
 *   node bench/idle.ts                         # this checkout
 *   node bench/idle.ts --directory ../other    # another one
 *   node bench/idle.ts --only postgres
 *
 * Prints the share of one core that its processes take, and PostgreSQL's, over 60 s after 60 s of rest.
 */

const REST_MS = 60_000
const MEASURED_MS = 60_000

const { values: options } = parseArgs({
  options: {
    directory: { type: 'string', default: join(import.meta.dirname, '..') },
    only: { type: 'string', default: '' },
  },
})

interface Idle {
  server: number
  postgres: number | null
  megabytes: number
}

async function measure(
  databaseUrl: string | null,
  databasePid: number | null,
  folder: string,
): Promise<Idle> {
  const port = await findFreePort()
  const server = startNode(['server/launch.cjs', 'start'], {
    directory: options.directory,
    logFile: join(folder, 'parley.log'),
    environment: {
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: join(folder, 'parley'),
      ...(databaseUrl !== null && { DATABASE_URL: databaseUrl, SECRET: 'x'.repeat(64) }),
    },
  })
  try {
    await server.ready(`http://127.0.0.1:${port}/readyz`)
    await afterStart(join(folder, 'parley'))
    await sleep(REST_MS)
    const pids = databasePid === null ? [server.pid] : [server.pid, databasePid]
    const before = pids.map((pid) => readProcessTrees([pid]))
    const start = performance.now()
    await sleep(MEASURED_MS)
    const seconds = (performance.now() - start) / 1_000
    const after = pids.map((pid) => readProcessTrees([pid]))
    const share = (index: number): number =>
      ((after[index]?.cpuSeconds ?? 0) - (before[index]?.cpuSeconds ?? 0)) / seconds
    const megabytes = (after[0]?.peakBytes ?? 0) / 1e6
    return { server: share(0), postgres: databasePid === null ? null : share(1), megabytes }
  } finally {
    await server.stop()
  }
}

const percent = (share: number | null): string => (share === null ? '' : `${(share * 100).toFixed(2)} %`)

function print(name: string, { server, postgres, megabytes }: Idle): void {
  console.log(`| ${name} | ${percent(server)} | ${percent(postgres)} | ${megabytes.toFixed(0)} MB |`)
}

const folder = mkdtempSync(join(tmpdir(), 'parley-idle-'))
console.log('| | Server | PostgreSQL | Peak memory |\n|---|--:|--:|--:|')
try {
  if ('embedded'.includes(options.only)) {
    mkdirSync(join(folder, 'embedded'))
    print('embedded', await measure(null, null, join(folder, 'embedded')))
  }
  if ('postgres'.includes(options.only)) {
    mkdirSync(join(folder, 'data'))
    const postgres = await startPostgres({ dataDir: join(folder, 'data'), settings: POSTGRES_SETTINGS })
    await postgres.createDatabase('parley')
    print('PostgreSQL', await measure(postgres.url('parley'), postgres.pid, folder))
    await postgres.stop()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
