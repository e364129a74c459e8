import { parseExactJson } from '#database/exact-json.ts'
import type { Redis } from '#platform/redis/redis.ts'
import type { Secrets } from '#platform/secrets/secrets.ts'
import type { Services } from '#platform/services.ts'
import {
  EXCHANGES_MAX,
  type Exchange,
  MEMORY_SECONDS,
  type MemoryOwner,
  type PlaygroundMemory,
  rememberedOf,
} from './memory.ts'

/**
 * Stores memories in Redis, shared by all processes. A memory is a list of encrypted exchanges. Every method throws
 * server.unavailable if Redis is unavailable.
 */
export class SharedMemory implements PlaygroundMemory {
  readonly #redis: Redis
  readonly #secrets: Secrets
  readonly #log: Services['log']

  constructor(redis: Redis, secrets: Secrets, log: Services['log']) {
    this.#redis = redis
    this.#secrets = secrets
    this.#log = log
  }

  async read(owner: MemoryOwner): Promise<Exchange[]> {
    const key = keyOf(owner)
    const sealed = await this.#redis.run((client) => client.lRange(key, -EXCHANGES_MAX, -1))
    return rememberedOf(sealed.flatMap((one) => this.#open(one, key)))
  }

  async append(owner: MemoryOwner, exchange: Exchange): Promise<void> {
    const key = keyOf(owner)
    const sealed = this.#secrets.encrypt(JSON.stringify(exchange), key)
    await this.#redis.run((client) =>
      client.multi().rPush(key, sealed).lTrim(key, -EXCHANGES_MAX, -1).expire(key, MEMORY_SECONDS).exec(),
    )
  }

  async clear(owner: MemoryOwner): Promise<void> {
    await this.#redis.run((client) => client.del(keyOf(owner)))
  }

  /** Decrypts an exchange. Returns an empty array if it was encrypted with an earlier SECRET. */
  #open(sealed: string, key: string): Exchange[] {
    try {
      return [parseExactJson(this.#secrets.decrypt(sealed, key)) as Exchange]
    } catch (error) {
      this.#log.warn({ err: error }, 'a playground memory could not be decrypted')
      return []
    }
  }
}

const keyOf = ({ organizationId, userId }: MemoryOwner): string =>
  `parley:playground:${organizationId}:${userId}`
