import { createClient } from 'redis'
import { startRedis } from '#tests/support/redis.ts'
import type { RequestName } from './requests.ts'
import { type Stage, signalFamily, takeConnections } from './stage.ts'

type Status = number | 'stream error'

export interface Fault {
  name: string
  /** Causes the fault. Returns a function that ends it. */
  begin(stage: Stage): Promise<() => Promise<void>>
  /** The statuses that each request may have during the fault. Other requests must succeed. */
  expected: Partial<Record<RequestName, readonly Status[]>>
  /** The end of a reply that is in progress when the fault begins. The default is 200. */
  reply?: Status
  /** Requests that take longer by nature, and are not sent. */
  skipped?: readonly RequestName[]
}

/** Without the database, only /healthz works. */
const NO_DATABASE: Fault['expected'] = {
  readyz: [503],
  list: [500],
  create: [500],
  login: [500],
  message: [500],
  upload: [500],
  image: [500],
  memory: [500],
  openai: [503],
}

/** Without Redis, all but the memory of the playground works. */
const NO_REDIS: Fault['expected'] = { readyz: [503], memory: [503] }

/** Without the bucket, all but files works. */
const NO_BUCKET: Fault['expected'] = { readyz: [503], upload: [503], image: [503] }

/** Without the provider, replies end with an error. A call that is not streamed gets a status. */
const NO_PROVIDER: Fault['expected'] = { message: ['stream error'], image: ['stream error'], openai: [503] }

/** During a restart, a request fails or succeeds. */
const EITHER: Fault['expected'] = Object.fromEntries(
  Object.entries(NO_DATABASE).map(([name, failures]) => [
    name,
    [...(failures as Status[]), 200, 201, 'stream error'],
  ]),
)

export const FAULTS: readonly Fault[] = [
  {
    name: 'PostgreSQL down',
    expected: NO_DATABASE,
    async begin({ postgres }) {
      await postgres.stop()
      return () => postgres.start()
    },
  },
  {
    name: 'PostgreSQL frozen',
    expected: NO_DATABASE,
    async begin({ postgres: { pid } }) {
      signalFamily(pid, 'SIGSTOP')
      return async () => signalFamily(pid, 'SIGCONT')
    },
  },
  {
    name: 'PostgreSQL restarted',
    expected: EITHER,
    async begin({ postgres }) {
      const restarted = postgres.stop().then(() => postgres.start())
      return () => restarted
    },
  },
  {
    name: 'PostgreSQL out of connections',
    expected: NO_DATABASE,
    begin: takeConnections,
  },
  {
    name: 'Redis down',
    expected: NO_REDIS,
    async begin(stage) {
      const port = Number(new URL(stage.redis.url).port)
      await stage.redis.stop()
      return async () => {
        stage.redis = await startRedis(port)
      }
    },
  },
  {
    name: 'Redis frozen',
    expected: NO_REDIS,
    async begin({ redis: { pid } }) {
      process.kill(pid, 'SIGSTOP')
      return async () => void process.kill(pid, 'SIGCONT')
    },
  },
  {
    name: 'Redis flushed',
    expected: {},
    async begin({ redis: { url } }) {
      const client = await createClient({ url }).connect()
      await client.flushAll()
      await client.scriptFlush()
      client.destroy()
      return async () => {}
    },
  },
  {
    name: 'Redis full',
    expected: { readyz: [503] },
    async begin({ redis }) {
      const client = await createClient({ url: redis.url }).connect()
      await client.configSet('maxmemory', '1')
      return async () => {
        await client.configSet('maxmemory', '0')
        client.destroy()
      }
    },
  },
  {
    name: 'S3 down',
    expected: NO_BUCKET,
    async begin({ bucket }) {
      await bucket.behave('refuses')
      return () => bucket.behave('passes')
    },
  },
  {
    name: 'S3 silent',
    expected: NO_BUCKET,
    async begin({ bucket }) {
      await bucket.behave('is silent')
      return () => bucket.behave('passes')
    },
  },
  {
    name: 'S3 trickling',
    expected: NO_BUCKET,
    async begin({ bucket }) {
      await bucket.behave('trickles')
      return () => bucket.behave('passes')
    },
  },
  {
    name: 'Provider down',
    expected: NO_PROVIDER,
    reply: 'stream error',
    async begin({ provider }) {
      await provider.kill()
      return () => provider.start()
    },
  },
  {
    name: 'Provider frozen',
    expected: {},
    // A model may take minutes until its first token, so the wait for it does not end after 3 s.
    skipped: ['openai'],
    async begin({ provider: { pid } }) {
      process.kill(pid, 'SIGSTOP')
      return async () => void process.kill(pid, 'SIGCONT')
    },
  },
]
