import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { type Config, readConfig } from '#config'
import { listObjects, readObject } from '#platform/bucket/bucket.ts'
import { createNet } from '#platform/net/index.ts'
import { createStorage } from '#platform/storage/storage.ts'
import { findPostgres } from '#tests/support/postgres.ts'
import { startServer } from '../server/main.ts'
import { checkRestored, type DrillReport } from './drill/check-restored.ts'

/*
 * `node scripts/restore-drill.ts`: backs up PostgreSQL and the bucket of the environment (docs/backup.md), restores them
 * into the empty database DRILL_DATABASE_URL and the bucket DRILL_S3_BUCKET (at DRILL_S3_ENDPOINT, by default the same),
 * starts a server on them, and checks it. Only reads from the source. The restored server sends no email and no webhooks,
 * and runs no waiting jobs. It continues unfinished ingestion and erasures, so run the drill when there are none. Requires
 * pg_dump and pg_restore, from .cache/postgres or the PATH.
 */

const OBJECT_BYTES_MAX = 5 * 1024 ** 3

/** Backs up the installation of `environment`, restores it, and returns the results of the checks. */
export async function drill(environment: NodeJS.ProcessEnv): Promise<DrillReport> {
  const source = readConfig(environment)
  const workspace = await mkdtemp(join(tmpdir(), 'parley-drill-'))
  try {
    const target = targetOf(environment, workspace)
    const targetUrl = target.databaseUrl ?? ''
    await refuseUsed(targetUrl)
    const dump = join(workspace, 'parley.dump')
    // First the database: an object is stored before its row says so, and never changes. Every stored row of the dump
    // therefore has its object when the copy begins, unless it has been deleted since.
    await run('pg_dump', source.databaseUrl ?? '', ['--format=custom', `--file=${dump}`])
    const objects = await copyObjects(source, target, workspace)
    await run('pg_restore', targetUrl, ['--no-owner', '--no-privileges', '--exit-on-error', dump])
    await forgetWork(targetUrl)
    const server = await startServer(target)
    try {
      return { objects, ...(await checkRestored(server, targetUrl)) }
    } finally {
      await server.stop()
    }
  } finally {
    await rm(workspace, { recursive: true, force: true })
  }
}

/** The configuration of the restored server. It has no mail server, no Redis and no keys of providers. */
function targetOf(environment: NodeJS.ProcessEnv, workspace: string): Config {
  const { DRILL_DATABASE_URL: databaseUrl, DRILL_S3_BUCKET: bucket, DATABASE_URL: sourceUrl } = environment
  if (!sourceUrl || !environment['S3_BUCKET'])
    throw new Error('Set DATABASE_URL, SECRET and S3_* as for the server whose restore you try.')
  if (!databaseUrl || !bucket)
    throw new Error('Set DRILL_DATABASE_URL to an empty database and DRILL_S3_BUCKET to an empty bucket.')
  const endpoint = environment['DRILL_S3_ENDPOINT'] ?? environment['S3_ENDPOINT']
  if (bucket === environment['S3_BUCKET'] && endpoint === environment['S3_ENDPOINT'])
    throw new Error('DRILL_S3_BUCKET is the bucket of the server. Set it to an empty bucket.')
  const s3 = Object.entries(environment).filter(([name]) => name.startsWith('S3_'))
  return readConfig({
    ...Object.fromEntries(s3),
    S3_BUCKET: bucket,
    ...(endpoint && { S3_ENDPOINT: endpoint }),
    DATABASE_URL: databaseUrl,
    SECRET: environment['SECRET'],
    SECRET_PREVIOUS: environment['SECRET_PREVIOUS'],
    DATA_DIR: join(workspace, 'data'),
    PORT: '0',
    CONSOLE_BUILD: '0',
    LOG_LEVEL: 'error',
  })
}

async function refuseUsed(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    const tables =
      await sql`select from pg_tables where schemaname not in ('pg_catalog', 'information_schema') limit 1`
    if (tables.count > 0)
      throw new Error('DRILL_DATABASE_URL is not empty. Create a new database for the drill.')
  } finally {
    await sql.end()
  }
}

/** Runs a program of PostgreSQL. The password is in its environment, because other users can read its arguments. */
async function run(program: string, databaseUrl: string, args: string[]): Promise<void> {
  const url = new URL(databaseUrl)
  const password = decodeURIComponent(url.password)
  url.password = ''
  const path = join(findPostgres() ?? '', program)
  const env = { PATH: process.env['PATH'], ...(password && { PGPASSWORD: password }) }
  await promisify(execFile)(path, [...args, `--dbname=${url.href}`], { env })
}

/** Copies all objects to the target bucket. Returns their number. */
async function copyObjects(source: Config, target: Config, workspace: string): Promise<number> {
  if (source.s3 === null) throw new Error('Set S3_* as for the server whose restore you try.')
  const net = createNet({ allowPrivateNetwork: true })
  const storage = createStorage(target, { current: '', previous: null }, net)
  const signal = new AbortController().signal
  let count = 0
  try {
    for await (const page of listObjects(net, source.s3, signal))
      for (const { key } of page) {
        const path = join(workspace, `object-${count++}`)
        const into = { path, maxBytes: OBJECT_BYTES_MAX }
        const { size, sha256, contentType } = await readObject(net, source.s3, key, into, signal)
        const file = { key, contentType: contentType ?? 'application/octet-stream' }
        await storage.put(file, { path, size, sha256 })
        await rm(path, { force: true })
      }
    return count
  } finally {
    await net.close()
  }
}

/** Ends work that would reach people: waiting jobs, such as emails, and deliveries of webhooks. */
async function forgetWork(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    const [jobs] = await sql`select to_regclass('jobs.job') is not null as exist`
    if (jobs?.['exist']) await sql`delete from jobs.job`
    await sql`update webhook_deliveries set status = 'failed' where status = 'pending'`
    await sql`update webhook_endpoints set is_enabled = false`
  } finally {
    await sql.end()
  }
}

if (import.meta.main) {
  const report = await drill(process.env)
  for (const [name, value] of Object.entries(report)) console.log(`${name}: ${value}`)
  const isSound = report.wrongLedgers === 0 && report.missingFiles === 0 && report.search !== 'no answer'
  console.log(
    isSound ? 'The restored installation is complete.' : 'The restored installation is not complete.',
  )
  process.exit(isSound ? 0 : 1)
}
