import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { countPieces } from '../models/count-tokens.ts'
import { describeWork, within } from '../telemetry/running.ts'
import { createThreads, type ThreadBounds, type Threads } from './threads.ts'

/** A thread whose functions are commands: `echo`, `wait MS`, `loop`, `die`, `throw` and `allocate`. */
const PROGRAM = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads'
    import { setTimeout as sleep } from 'node:timers/promises'
    parentPort.on('message', async ({ input }) => {
      const [command, ms] = input.split(' ')
      if (command === 'wait') await sleep(Number(ms))
      if (command === 'loop') for (;;);
      if (command === 'die') process.exit(3)
      if (command === 'throw') return parentPort.postMessage({ error: new RangeError('too long') })
      if (command === 'allocate') for (const all = []; ; ) all.push(new Array(1e5).fill({}))
      parentPort.postMessage({ output: input })
    })`)}`,
)

let opened: Threads | undefined
const open = (bounds: ThreadBounds = {}): Threads => {
  opened = createThreads({ program: PROGRAM, threadsMax: 1, ...bounds })
  return opened
}
afterEach(async () => {
  await opened?.end()
  opened = undefined
})

const run = (threads: Threads, command: string, signal?: AbortSignal): Promise<unknown> =>
  threads.run('countPieces', command, signal)

test('calls return their own results, also after one that threw', async () => {
  const threads = open({ threadsMax: 2 })
  expect(await Promise.all(['a', 'b', 'c'].map((one) => run(threads, one)))).toEqual(['a', 'b', 'c'])
  await expect(run(threads, 'throw')).rejects.toThrow('too long')
  expect(await run(threads, 'd')).toBe('d')
})

test('organizations take turns', async () => {
  const threads = open()
  const order: string[] = []
  const ask = (organizationId: string, name: string) =>
    within(describeWork('test', organizationId), () => run(threads, name)).then(() => order.push(name))
  const first = run(threads, 'wait 50')
  const all = [
    ...['a1', 'a2', 'a3'].map((name) => ask('a', name)),
    ...['b1', 'b2'].map((name) => ask('b', name)),
    ask('c', 'c1'),
  ]
  await Promise.all([first, ...all])
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('a call beyond the limit of the queue is refused', async () => {
  const threads = open({ waitingMax: 2 })
  const accepted = ['wait 100', 'a', 'b'].map((one) => run(threads, one))
  await expect(run(threads, 'c')).rejects.toMatchObject({ code: 'server.unavailable', status: 503 })
  await Promise.all(accepted)
  expect(await run(threads, 'd')).toBe('d')
})

test.each(['die', 'allocate'])(
  'a thread that ends by %j fails only its call, and is replaced',
  async (command) => {
    const threads = open({ heapMegabytes: 16 })
    const lost = expect(run(threads, command)).rejects.toThrow(/thread/)
    const next = run(threads, 'a')
    await lost
    expect(await next).toBe('a')
  },
)

test('a call that takes too long fails, and the next one gets another thread', async () => {
  const threads = open({ callMs: 3_000 })
  const late = expect(run(threads, 'loop')).rejects.toMatchObject({ code: 'server.unavailable' })
  const next = run(threads, 'a')
  await late
  expect(await next).toBe('a')
})

test('a call that waits too long for a thread fails', async () => {
  const threads = open({ waitMs: 100 })
  const first = run(threads, 'wait 1000')
  await expect(run(threads, 'a')).rejects.toMatchObject({ code: 'server.unavailable' })
  await first
})

test('an aborted call fails at once: before it waits, while it waits, and while it runs', async () => {
  const threads = open()
  const reason = new Error('left')
  await expect(run(threads, 'a', AbortSignal.abort(reason))).rejects.toBe(reason)
  const [running, waiting] = [new AbortController(), new AbortController()]
  const calls = [
    run(threads, 'wait 300', running.signal),
    run(threads, 'die', waiting.signal),
    run(threads, 'b'),
  ]
  const failures = [expect(calls[0]).rejects.toBe(reason), expect(calls[1]).rejects.toBe(reason)]
  await sleep(20)
  waiting.abort(reason)
  running.abort(reason)
  await Promise.all(failures)
  expect(await calls[2]).toBe('b')
})

test('the end of the threads fails running and waiting calls, and later calls run again', async () => {
  const threads = open()
  const failed = ['loop', 'a'].map((one) =>
    expect(run(threads, one)).rejects.toMatchObject({ code: 'server.unavailable' }),
  )
  await threads.end()
  await Promise.all(failed)
  expect(await run(threads, 'b')).toBe('b')
})

test('an idle thread ends, and a later call starts another', async () => {
  const started: unknown[] = []
  const collect = (worker: unknown): number => started.push(worker)
  process.on('worker', collect)
  const threads = open({ idleMs: 20 })
  await run(threads, 'a')
  await sleep(200)
  await run(threads, 'b')
  process.off('worker', collect)
  expect(started).toHaveLength(2)
})

test('a thread counts tokens like the event loop does', async () => {
  const text = 'We open at nine. Ünïcode 漢字 '.repeat(2_000)
  opened = createThreads()
  expect(await opened.run('countPieces', text)).toBe(await countPieces(text))
  const sitemap = {
    xml: '<loc>http://a.example/1</loc><loc>http://b.example/</loc>',
    address: 'http://a.example/',
    limit: 9,
  }
  expect(await opened.run('locationsOf', sitemap)).toEqual({ isIndex: false, urls: ['http://a.example/1'] })
})
