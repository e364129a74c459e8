import { createClient } from 'redis'
import { isOutOfMemory, probe, type RedisClient } from './server.ts'

export interface RedisFacts {
  version: string
  evictionPolicy: string
  /** In bytes. 0 means no limit. */
  memoryMax: number
  isPersistent: boolean
  /** True if the memory is full, so that writes are refused. */
  isFull: boolean
}

/** Connects once and reads facts about the Redis server. Rejects if it cannot be reached, or refuses the credentials. */
export async function inspectRedis(url: string, timeoutMs: number): Promise<RedisFacts> {
  const client = createClient({ url, socket: { connectTimeout: timeoutMs, reconnectStrategy: false } })
  client.on('error', () => {}) // connect() rejects with the error
  try {
    await client.connect()
    const facts = new Map(
      (await client.info()).split('\r\n').map((line) => line.split(/:(.*)/s).slice(0, 2) as [string, string]),
    )
    const isFull = await probe(client as RedisClient).then(() => false, isOutOfMemory)
    // Managed services refuse CONFIG.
    const { save = '' } = await client.configGet('save').catch((): Record<string, string> => ({}))
    return {
      version: facts.get('redis_version') ?? '',
      evictionPolicy: facts.get('maxmemory_policy') ?? '',
      memoryMax: Number(facts.get('maxmemory') ?? 0),
      isPersistent: facts.get('aof_enabled') === '1' || save !== '',
      isFull,
    }
  } finally {
    client.destroy()
  }
}
