import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectRedis, type Redis } from '#platform/redis/redis.ts'
import { findRedis, startRedis } from '#tests/support/redis.ts'
import { LocalWindows } from './local-windows.ts'
import { RateLimits } from './rate-limits.ts'

const log = pino({ level: 'silent' })
const SHORT = { ip: 700, probe: 700, user: 1_000 }
const LIMITS = { ipPerMinute: 3, userPerHour: 2 }

const hasRedis = findRedis() !== undefined
let server: Awaited<ReturnType<typeof startRedis>>
let redis: Redis
beforeAll(async () => {
  if (!hasRedis) return
  server = await startRedis()
  redis = await connectRedis(server.url, log)
})
afterAll(async () => {
  if (!hasRedis) return
  await redis.close()
  await server.stop()
})

const keys = hasRedis ? ['in this process', 'in Redis'] : ['in this process']

describe.each(keys)('windows %s', (key) => {
  const create = (limits = LIMITS, windowsMs?: typeof SHORT) =>
    new RateLimits(limits, { redis: key === 'in Redis' ? redis : null, log }, windowsMs)

  test.each([
    ['ip', '192.0.2.1', 3],
    ['user', crypto.randomUUID(), 2],
  ] as const)('for one %s end, and requests pass again', async (kind, id, limit) => {
    const limits = create(LIMITS, SHORT)
    const key = { kind, id }
    for (let round = 0; round < 2; round++) {
      for (let left = limit - 1; left > 0; left--)
        expect(await limits.take(key)).toMatchObject({ kind, limit, remaining: left, isOver: false })
      expect(await limits.take(key)).toMatchObject({ remaining: 0, isOver: false })
      let window = await limits.take(key)
      expect(window).toMatchObject({ remaining: 0, isOver: true })
      expect(window?.leftMs).toBeLessThanOrEqual(SHORT[kind])
      // Refused requests must not extend the window, or this loop would never end.
      for (; window?.isOver; window = await limits.take(key)) await sleep(10)
      expect(window).toMatchObject({ remaining: limit - 1 })
      while (!(await limits.take(key))?.isOver) {}
      // Allow for a small clock difference between two processes.
      await sleep(SHORT[kind] + 50)
    }
  })

  test('are shown without counting', async () => {
    const limits = create()
    const address = '198.51.100.77'
    expect(await limits.look(address)).toMatchObject({ limit: 3, remaining: 3, isOver: false })
    for (const remaining of [2, 1, 0, 0]) {
      await limits.take({ kind: 'ip', id: address })
      for (let times = 0; times < 2; times++)
        expect(await limits.look(address)).toMatchObject({ limit: 3, remaining, isOver: false })
    }
    expect((await limits.look(address))?.leftMs).toBeGreaterThan(0)
  })

  test('are separate per address and user, and shared by all spellings of an address', async () => {
    const limits = create()
    const remaining = async (kind: 'ip' | 'user', id: string) => (await limits.take({ kind, id }))?.remaining
    expect(await remaining('ip', '198.51.100.1')).toBe(2)
    expect(await remaining('ip', '::ffff:198.51.100.1')).toBe(1)
    expect(await remaining('ip', '::ffff:c633:6401')).toBe(0)
    expect(await remaining('ip', '198.51.100.2')).toBe(2)
    expect(await remaining('ip', '2001:db8::1')).toBe(2)
    expect(await remaining('ip', '2001:0DB8:0:0:1:2:3:4')).toBe(1)
    expect(await remaining('ip', '2001:db8:0:1::1')).toBe(2)
    expect(await remaining('user', '198.51.100.1')).toBe(1)
  })

  test('do not exist without a limit', async () => {
    const limits = create({ ipPerMinute: 0, userPerHour: 1 })
    expect(await limits.take({ kind: 'ip', id: '192.0.2.9' })).toBeNull()
    expect(await limits.take({ kind: 'user', id: crypto.randomUUID() })).toMatchObject({ limit: 1 })
  })
})

test('local windows are limited in number, and the oldest is evicted first', () => {
  const windows = new LocalWindows(60_000, 4)
  const count = (key: string): number => windows.take(key).count
  for (const key of ['a', 'b', 'c', 'd']) expect(count(key)).toBe(1)
  for (const key of ['a', 'b', 'c', 'd']) expect(count(key)).toBe(2)
  expect(count('e')).toBe(1)
  expect([count('c'), count('d'), count('e')]).toEqual([3, 3, 2])
  expect(count('a')).toBe(1)
})

test('a window counts exactly until its end, regardless of others', async () => {
  const windowMs = 40
  const windows = new LocalWindows(windowMs)
  const begun = new Map<string, { at: number; count: number; windows: number }>()
  for (let round = 0; [...begun.values()].some((one) => one.windows < 5) || begun.size < 4; round++) {
    const key = `key ${round % Math.min(4, 1 + Math.floor(round / 10))}`
    const at = performance.now()
    const { count, leftMs } = windows.take(key)
    const last = begun.get(key)
    expect(leftMs).toBeGreaterThan(0)
    if (last && count > 1) expect(count).toBe(last.count + 1)
    if (last && count === 1) expect(performance.now() - last.at).toBeGreaterThanOrEqual(windowMs)
    if (count > 1) begun.set(key, { ...(last ?? { at, windows: 0 }), count })
    else begun.set(key, { at, count, windows: (last?.windows ?? 0) + 1 })
    await sleep(1)
  }
})
