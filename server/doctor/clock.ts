import { openUnmigrated } from '#database/connect.ts'
import { environmentAddress, environmentProviders } from '#parts/llm/index.ts'
import { type Check, type Finding, ok, type Surroundings, warning } from './check.ts'
import { CONNECT_TIMEOUT_SECONDS } from './database.ts'

/** Tokens, signed addresses and leases tolerate a few seconds. */
const DIFFERENCE_MS_MAX = 5_000
/** The Date header has whole seconds. */
const HEADER_RESOLUTION_MS = 500

/** The clock of this machine, compared with the database's and with the Date header of a provider or of BASE_URL. */
export const clockCheck: Check = {
  name: 'clock',
  async run(surroundings, signal) {
    const compared = await Promise.all([
      compare('the database', () => readDatabaseClock(surroundings)),
      compare(...headerClock(surroundings, signal)),
    ])
    const findings = compared.filter((finding) => finding !== null)
    return findings.length > 0 ? findings : [ok('Not compared, because no other clock can be reached.')]
  },
}

/** Returns null if the other clock cannot be read; other checks report unreachable services. */
async function compare(name: string, read: () => Promise<number | null>): Promise<Finding | null> {
  const before = Date.now()
  const time = await read().catch(() => null)
  if (time === null) return null
  const after = Date.now()
  const difference = time > after ? time - after : Math.max(0, before - time)
  const seconds = Math.round(difference / 1000)
  if (difference <= DIFFERENCE_MS_MAX) return ok(`The clock agrees with that of ${name}`)
  return warning(`The clock differs by ${seconds} seconds from that of ${name}. Synchronize both by NTP.`)
}

async function readDatabaseClock({ config: { databaseUrl } }: Surroundings): Promise<number | null> {
  if (databaseUrl === null) return null
  const sql = openUnmigrated(null, databaseUrl, { connectTimeoutSeconds: CONNECT_TIMEOUT_SECONDS })
  try {
    const [row] = await sql<
      { ms: number }[]
    >`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`
    return row?.ms ?? null
  } finally {
    await sql.end({ timeout: 0 })
  }
}

function headerClock(
  { config, net }: Surroundings,
  signal: AbortSignal,
): [string, () => Promise<number | null>] {
  const [provider = 'demo'] = environmentProviders({ config })
  const { baseUrl } = environmentAddress({ config }, provider)
  const { origin, host } = new URL(baseUrl || config.baseUrl)
  return [
    host,
    async () => {
      const { headers, body } = await net.open.request({ origin, path: '/healthz', method: 'GET', signal })
      await body.dump({ limit: 64 * 1024 })
      const time = Date.parse(String(headers['date']))
      return Number.isNaN(time) ? null : time + HEADER_RESOLUTION_MS
    },
  ]
}
