import { expect, test } from 'vitest'
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
