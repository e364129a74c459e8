import { expect, test } from 'vitest'
import { MEMORY_BYTES_MAX } from './deno-process.ts'
import { machineMemory } from './machine-memory.ts'
import { SandboxUnavailable } from './sandbox-unavailable.ts'
import { createTurns } from './turns.ts'

const never = new AbortController().signal
/** Whether it has settled once everything that was due is done. */
async function isOpen(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol()
  const later = new Promise((resolve) => setImmediate(() => resolve(open)))
  return (await Promise.race([promise.catch(() => {}), later])) === open
}

test('one organization has half of the turns, and others do not wait for it', async () => {
  const turns = createTurns({ turnsMax: 4 })
  const ends = [await turns.take('a', never), await turns.take('a', never)]
  const third = turns.take('a', never)
  expect(await isOpen(third)).toBe(true)
  await turns.take('b', never)
  await turns.take('c', never)
  ends[0]?.()
  expect(await isOpen(third)).toBe(false)
})

test('what runs has room for the limits of all, and one always runs', async () => {
  const turns = createTurns({ turnsMax: 16, memoryBytes: 2.9 * MEMORY_BYTES_MAX })
  const end = await turns.take('a', never)
  await turns.take('b', never)
  const third = turns.take('c', never)
  expect(await isOpen(third)).toBe(true)
  end()
  expect(await isOpen(third)).toBe(false)

  const small = createTurns({ turnsMax: 16, memoryBytes: 1 })
  await small.take('a', never)
  expect(await isOpen(small.take('b', never))).toBe(true)
  small.close()
})

test("memory is the machine's, or what a container may have of it", () => {
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

test('who waits comes in the order of asking', async () => {
  const turns = createTurns({ turnsMax: 2 })
  const end = await turns.take('a', never)
  const order: string[] = []
  const second = turns.take('a', never).then((next) => order.push('second') && next())
  const third = turns.take('a', never).then((next) => order.push('third') && next())
  end()
  end()
  await Promise.all([second, third])
  expect(order).toEqual(['second', 'third'])
})

test('the queue is bounded, for one organization by half', async () => {
  const turns = createTurns({ turnsMax: 1, waitingMax: 4 })
  await turns.take('a', never)
  const waiting = [turns.take('a', never), turns.take('a', never)]
  await expect(turns.take('a', never)).rejects.toThrow(SandboxUnavailable)
  waiting.push(turns.take('b', never), turns.take('b', never))
  await expect(turns.take('c', never)).rejects.toThrow('Too many tools are running')
  turns.close()
  for (const one of await Promise.allSettled(waiting)) expect(one.status).toBe('rejected')
})

test('who gives up leaves the queue, and who waits too long is told so', async () => {
  const turns = createTurns({ turnsMax: 1, waitMs: 20 })
  const end = await turns.take('a', never)
  const leaving = new AbortController()
  const left = turns.take('b', leaving.signal)
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  await expect(turns.take('b', never)).rejects.toThrow(SandboxUnavailable)
  end()
  await expect(turns.take('b', never)).resolves.toBeTypeOf('function')
})
