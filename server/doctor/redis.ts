import { openUnmigrated } from '#database/connect.ts'
import { sentence } from '#errors'
import { type Check, type Finding, ok, problem, reasonOf, warning } from './check.ts'
import { CONNECT_TIMEOUT_SECONDS } from './database.ts'

const CONNECT_TIMEOUT_MS = 4_000
/** The first version with all commands that the server uses. */
const VERSION_MIN = 7

/** Redis: reachable, recent, and not evicting keys. */
export const redisCheck: Check = {
  name: 'redis',
  async run({ config: { redisUrl, databaseUrl } }) {
    if (redisUrl === null) return [await checkProcesses(databaseUrl)]
    const { inspectRedis } = await import('#platform/redis/inspect-redis.ts')
    try {
      const { version, evictionPolicy, memoryMax, isPersistent, isFull } = await inspectRedis(
        redisUrl,
        CONNECT_TIMEOUT_MS,
      )
      return [
        checkVersion(version),
        checkEviction(evictionPolicy, memoryMax),
        ...(isFull ? [problem(sentence('redis.full'))] : []),
        describePersistence(isPersistent),
      ]
    } catch (error) {
      return [problem(explain(reasonOf(error)))]
    }
  },
}

/** Counts the processes that use the database. Without Redis there should be one. */
async function checkProcesses(databaseUrl: string | null): Promise<Finding> {
  const one = ok('Not used, as REDIS_URL is not set. Run one process only.')
  if (databaseUrl === null) return one
  const sql = openUnmigrated(null, databaseUrl, { connectTimeoutSeconds: CONNECT_TIMEOUT_SECONDS })
  try {
    const [alive] = await sql<{ count: number }[]>`
      select count(*)::int as count from server_instances where lease_until > now()`
    const count = alive?.count ?? 0
    return count < 2
      ? one
      : warning(
          `REDIS_URL is not set, and ${count} processes use the database. Set REDIS_URL in all of them, so that streams, live events and rate limits are shared.`,
        )
  } catch {
    return one // the check of the database says why it can't be asked
  } finally {
    await sql.end({ timeout: 0 })
  }
}

const explain = (reason: string): string =>
  /WRONGPASS|NOAUTH|NOPERM/.test(reason)
    ? `Redis rejected the credentials: ${reason}. Check the user and password in REDIS_URL.`
    : `Redis cannot be reached: ${reason}. Check that it runs, and the host, port and TLS (rediss://) in REDIS_URL.`

const checkVersion = (version: string): Finding =>
  Number.parseInt(version, 10) >= VERSION_MIN
    ? ok(`Redis ${version}`)
    : warning(`Redis ${version} is old and not tested. Upgrade to Redis ${VERSION_MIN} or later.`)

function checkEviction(policy: string, memoryMax: number): Finding {
  if (policy === 'noeviction') return ok('The eviction policy is noeviction')
  const remedy = 'Set maxmemory-policy to noeviction.'
  if (policy === '') return warning(`The eviction policy is unknown. ${remedy}`)
  return memoryMax > 0
    ? problem(
        `Redis evicts keys (${policy}), which ends replies in progress and resets rate limits. ${remedy}`,
      )
    : warning(`The eviction policy is ${policy}. It has no effect until maxmemory is set. ${remedy}`)
}

const describePersistence = (isPersistent: boolean): Finding =>
  ok(
    isPersistent
      ? 'Redis saves to disk, which Parley does not require'
      : 'Redis does not save to disk, which is enough',
  )
