import { expect, test } from 'vitest'
import { createConcurrencyLimiter } from './concurrency-limiter.ts'
import { MEMORY_BYTES_MAX } from './deno-command.ts'
import { machineMemory } from './machine-memory.ts'
import { SandboxUnavailable } from './sandbox-unavailable.ts'

const never = new AbortController().signal
/** Returns whether a promise is still pending after all due tasks have run. */
async function isOpen(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol()
  const later = new Promise((resolve) => setImmediate(() => resolve(open)))
  return (await Promise.race([promise.catch(() => {}), later])) === open
}

test('one organization gets at most half of the slots, and others do not wait for it', async () => {
  const limiter = createConcurrencyLimiter({ turnsMax: 4 })
  const ends = [await limiter.take('a', never), await limiter.take('a', never)]
  const third = limiter.take('a', never)
  expect(await isOpen(third)).toBe(true)
  await limiter.take('b', never)
  await limiter.take('c', never)
  ends[0]?.()
  expect(await isOpen(third)).toBe(false)
})

test('running calls fit into memory, and one call always runs', async () => {
  const limiter = createConcurrencyLimiter({ turnsMax: 16, memoryBytes: 2.9 * MEMORY_BYTES_MAX })
  const end = await limiter.take('a', never)
  await limiter.take('b', never)
  const third = limiter.take('c', never)
  expect(await isOpen(third)).toBe(true)
  end()
  expect(await isOpen(third)).toBe(false)

  const small = createConcurrencyLimiter({ turnsMax: 16, memoryBytes: 1 })
  await small.take('a', never)
  expect(await isOpen(small.take('b', never))).toBe(true)
  small.close()
})

test('memory is that of the machine or the limit of its container', () => {
  const files = (found: Record<string, string>) => (path: string) => {
    const text = found[path]
    if (text === undefined) throw new Error('ENOENT')
    return text
  }
  const v2 = '/sys/fs/cgroup/memory.max'
  const v1 = '/sys/fs/cgroup/memory/memory.limit_in_bytes'
  const machine = { total: 8e9, constrained: 0 }
  expect(machineMemory(files({}), machine)).toBe(8e9)
  expect(machineMemory(files({ [v2]: 'max\n' }), machine)).toBe(8e9)
  expect(machineMemory(files({ [v2]: '2000000000\n' }), machine)).toBe(2e9)
  expect(machineMemory(files({ [v1]: '9223372036854771712\n' }), machine)).toBe(8e9)
  expect(machineMemory(files({}), { ...machine, constrained: 1e9 })).toBe(1e9)
  expect(machineMemory(files({}), { ...machine, constrained: 2 ** 64 })).toBe(8e9)
})

test('waiting calls run in order of arrival', async () => {
  const limiter = createConcurrencyLimiter({ turnsMax: 2 })
  const end = await limiter.take('a', never)
  const order: string[] = []
  const second = limiter.take('a', never).then((next) => order.push('second') && next())
  const third = limiter.take('a', never).then((next) => order.push('third') && next())
  end()
  end()
  await Promise.all([second, third])
  expect(order).toEqual(['second', 'third'])
})

test('the queue is limited, and one organization gets at most half of it', async () => {
  const limiter = createConcurrencyLimiter({ turnsMax: 1, waitingMax: 4 })
  await limiter.take('a', never)
  const waiting = [limiter.take('a', never), limiter.take('a', never)]
  await expect(limiter.take('a', never)).rejects.toThrow(SandboxUnavailable)
  waiting.push(limiter.take('b', never), limiter.take('b', never))
  await expect(limiter.take('c', never)).rejects.toThrow('Too many tools are running')
  limiter.close()
  for (const one of await Promise.allSettled(waiting)) expect(one.status).toBe('rejected')
})

test('an aborted call leaves the queue, and a call that waits too long is refused', async () => {
  const limiter = createConcurrencyLimiter({ turnsMax: 1, waitMs: 20 })
  const end = await limiter.take('a', never)
  const leaving = new AbortController()
  const left = limiter.take('b', leaving.signal)
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  await expect(limiter.take('b', never)).rejects.toThrow(SandboxUnavailable)
  end()
  await expect(limiter.take('b', never)).resolves.toBeTypeOf('function')
})
