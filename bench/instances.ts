import { parseArgs } from 'node:util'
import { startRedis } from '../tests/support/redis.ts'
import { compareVariants } from './compare-variants.ts'
import type { Variant } from './parley.ts'

/*
 * Measures what several processes cost in CPU seconds per 1,000 tokens, compared with one process. Each process has the
 * same number of streams, because a process costs less per token if it has more of them:
 *
 * node bench/instances.ts --rounds 5
 *
 * Requires redis-server. Each variant with Redis has its own server.
 */

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    streams: { type: 'string', default: '50' },
    gap: { type: 'string', default: '10' },
  },
})

const servers = await Promise.all([startRedis(), startRedis(), startRedis()])
const [one = '', two = '', workers = ''] = servers.map(({ url }) => url)
const variants: Record<string, Variant> = {
  'one without Redis': {},
  one: { environment: { REDIS_URL: one } },
  two: { servers: 2, environment: { REDIS_URL: two } },
  'two workers': { args: ['--workers', '2'], environment: { REDIS_URL: workers } },
}
const PROCESSES: Record<string, number> = { two: 2, 'two workers': 2 }
await compareVariants(variants, 'one', {
  loadOf: (variant) => ({
    connections: Number(flags.streams) * (PROCESSES[variant] ?? 1),
    gapMs: Number(flags.gap),
  }),
  rounds: Number(flags.rounds),
  seconds: Number(flags.seconds),
})
for (const server of servers) await server.stop()
