import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'

/** Ends a child that prints nothing. */
const CHILD_MS_MAX = 60_000

/** Runs code after the imports in a process of its own, because it never returns. Returns its first line of output. */
async function firstLineOf(code: string): Promise<Record<string, unknown>> {
  const [watch, running] = ['./stall-watch.ts', './running.ts'].map(
    (file) => new URL(file, import.meta.url).href,
  )
  const imports = `import { pbkdf2Sync } from 'node:crypto'; import { watchStalls } from '${watch}'; import { describeWork, runWork } from '${running}';`
  const child = spawn(process.execPath, ['--input-type=module', '-e', imports + code], {
    timeout: CHILD_MS_MAX,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    for await (const line of createInterface(child.stdout)) return JSON.parse(line)
    throw new Error('the process ended without a line')
  } finally {
    child.kill('SIGKILL')
  }
}

const run = (endless: string) => `
  watchStalls(() => {}, { logs: true, longMs: 300 })
  await runWork(describeWork('job endless', 'organization'), async () => {
    await null;
    ${endless}
  })`

test.each([
  ['a loop', 'const spin = () => { for (;;); }; spin()', 'spin '],
  ['a regular expression', "/^(a+)+$/.test('a'.repeat(100) + 'b')", 'RegExp.test '],
])('%s that never ends is named while it runs', async (_name, endless, frame) => {
  expect(await firstLineOf(run(endless))).toMatchObject({
    level: 40,
    work: 'job endless',
    organization_id: 'organization',
    frames: expect.arrayContaining([expect.stringContaining(frame)]),
    msg: 'the event loop is still stalled',
  })
})

test('a native call that does not answer is logged without a name', async () => {
  const line = await firstLineOf(run("pbkdf2Sync('a', 'b', 2 ** 31 - 1, 32, 'sha512')"))
  expect(line).toEqual({ level: 40, time: expect.any(Number), msg: 'the event loop is still stalled' })
})

const SPIN = 'const spin = (ms) => { const end = performance.now() + ms; while (performance.now() < end); };'
test.each([
  ['one call', true, "await runWork(describeWork('job'), async () => { await null; spin(3_000) })"],
  [
    'many short calls in a row',
    false,
    "await Promise.all(Array.from({ length: 600 }, () => runWork(describeWork('job'), async () => { await null; spin(5) })))",
  ],
])('a stall by %s is told apart', async (_name, isOneCall, code) => {
  const listen = 'watchStalls((stall) => console.log(JSON.stringify(stall)));'
  const start = 'await new Promise((resolve) => setTimeout(resolve, 500));'
  const end = 'await new Promise((resolve) => setTimeout(resolve, 60_000));'
  expect(await firstLineOf([SPIN, listen, start, code, end].join('\n'))).toMatchObject({
    work: 'job',
    isOneCall,
  })
})
