import { type Check, type Finding, ok, problem, reasonOf, warning } from './check.ts'

const CONNECT_TIMEOUT_MS = 4_000
/** The first version with all commands that the server uses. */
const VERSION_MIN = 7

/** Redis: reachable, recent, and not evicting keys. */
export const redisCheck: Check = {
  name: 'redis',
  async run({ config: { redisUrl } }) {
    if (redisUrl === null) return [ok('Not used, as REDIS_URL is not set. Run one process only.')]
    const { inspectRedis } = await import('#platform/redis/inspect-redis.ts')
    try {
      const { version, evictionPolicy, memoryMax, isPersistent } = await inspectRedis(
        redisUrl,
        CONNECT_TIMEOUT_MS,
      )
      return [
        checkVersion(version),
        checkEviction(evictionPolicy, memoryMax),
        describePersistence(isPersistent),
      ]
    } catch (error) {
      return [problem(explain(reasonOf(error)))]
    }
  },
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
