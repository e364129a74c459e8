import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { denoProcesses, openTestSandbox } from '#tests/support/sandbox.ts'
import { SandboxUnavailable } from './sandbox.ts'

/**
 * Tests JavaScript code that tries to escape the sandbox. Each attempt must be refused, and no output may contain
 * CANARY.
 */

const CANARY = 'canary-8c1f'
const { run, close } = openTestSandbox({ clockMs: 6_000 })
/** A sandbox whose timeout is long enough that memory always runs out first, even on a busy machine. */
const patient = openTestSandbox({ clockMs: 60_000 })
const folder = mkdtempSync(join(tmpdir(), 'parley-test-'))
const file = join(folder, 'secret.mjs')
const link = join(folder, 'link.mjs')
let hits = 0
const server = createServer((_request, response) => {
  hits++
  response.setHeader('content-type', 'text/javascript').end(`export default '${CANARY}'`)
})
let origin = ''

beforeAll(async () => {
  process.env['PARLEY_CANARY'] = CANARY
  writeFileSync(file, `export default '${CANARY}'`)
  symlinkSync(file, link)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await Promise.all([close(), patient.close()])
  server.close()
  rmSync(folder, { recursive: true })
  delete process.env['PARLEY_CANARY']
})

/** Returns the source of a tool that evaluates an expression and returns its value or its error. */
const tried = (expression: string): string =>
  `export async function main(input) { try { return ['got', await (${expression})] } catch (error) { return ['refused', String(error)] } }`

const REFUSED: [what: string, expression: string, refusal: RegExp][] = [
  ['Deno', 'Deno.readTextFileSync(input.file)', /Deno is not defined/],
  ['process', 'process.env', /process is not defined/],
  ['Buffer', 'Buffer.from("a")', /Buffer is not defined/],
  ['require', 'require("fs")', /require is not defined/],
  [
    'a web worker',
    'new Worker("data:text/javascript,postMessage(typeof Deno)", { type: "module" })',
    /Worker is not defined/,
  ],
  ['localStorage', 'localStorage.setItem("a", "b")', /localStorage is not defined/],
  ['caches', 'caches.open("a")', /caches is not defined/],
  ['a broadcast channel', 'new BroadcastChannel("a")', /BroadcastChannel is not defined/],
  ['a WebSocket', 'new WebSocket("ws://127.0.0.1")', /WebSocket is not defined/],
  ['an event source', 'new EventSource(input.origin)', /EventSource is not defined/],
  ['Deno through the Function constructor', 'new Function("return Deno.pid")()', /Deno is not defined/],
  [
    'Deno through other constructors',
    '(async () => {}).constructor("return Deno.pid")()',
    /Deno is not defined/,
  ],
  ['Node modules', 'import("node:fs")', /The sandbox cannot import modules/],
  ['Node modules by short name', 'import("fs")', /The sandbox cannot import modules/],
  ['process of Node', 'import("node:process")', /The sandbox cannot import modules/],
  ['child processes', 'import("node:child_process")', /The sandbox cannot import modules/],
  ['worker threads', 'import("node:worker_threads")', /The sandbox cannot import modules/],
  ['SQLite', 'import("node:sqlite")', /The sandbox cannot import modules/],
  ['a file imported as a module', 'import("file://" + input.file)', /Failed to resolve the specifier/],
  [
    'a file imported as text',
    'import("file://" + input.file, { with: { type: "text" } })',
    /Failed to resolve the specifier/,
  ],
  ['a link imported as a module', 'import("file://" + input.link)', /Failed to resolve the specifier/],
  [
    'a system file imported as text',
    'import("file:///proc/self/environ", { with: { type: "text" } })',
    /Failed to resolve the specifier/,
  ],
  [
    "the server's source",
    'import("file://" + input.source, { with: { type: "text" } })',
    /Failed to resolve the specifier/,
  ],
  [
    'reopening the pipe',
    'import("file://" + input.pipe).then(({ takePipe }) => takePipe())',
    /The pipe is already in use/,
  ],
  ['a remote module', 'import(input.origin + "/a.mjs")', /Requires import access|no-remote/],
  ['an npm package', 'import("npm:left-pad")', /--no-npm/],
  ['a JSR package', 'import("jsr:@std/path")', /--no-remote/],
  ['Deno internals', 'import("ext:core/ops")', /only allowed from ext/],
  ['the local machine', 'fetch(input.origin)', /has no network access and cannot reach 127\.0\.0\.1/],
  ['the cloud metadata address', 'fetch("http://169.254.169.254/latest/meta-data/")', /169\.254\.169\.254/],
  ['a file read with fetch', 'fetch("file://" + input.file)', /Use https:\/\/ or http:\/\//],
]
test.each(REFUSED)('%s is refused', async (_what, expression, refusal) => {
  const source = join(import.meta.dirname, '../../config.ts')
  const pipe = join(import.meta.dirname, 'inside/pipe.ts')
  const outcome = await run('javascript', tried(expression), { input: { file, link, origin, source, pipe } })
  expect(outcome).toMatchObject({ ok: true, output: ['refused', expect.stringMatching(refusal)] })
  expect(JSON.stringify(outcome)).not.toContain(CANARY)
  expect(hits).toBe(0)
})

const STATIC: [what: string, code: (places: { file: string }) => string][] = [
  ['a file', ({ file }) => `import value from 'file://${file}'; export function main() { return value }`],
  [
    'a file imported as text',
    ({ file }) =>
      `import value from 'file://${file}' with { type: 'text' }; export function main() { return value }`,
  ],
  [
    'a file through a data URL',
    ({ file }) =>
      `export async function main() { return (await import('data:text/javascript,' + encodeURIComponent("export { default } from 'file://${file}'"))).default }`,
  ],
  ['a Node module', () => `import { env } from 'node:process'; export function main() { return env }`],
]
test.each(STATIC)('a static import of %s fails', async (_what, code) => {
  const outcome = await run('javascript', code({ file }))
  expect(outcome).toMatchObject({ ok: false, reason: 'failed' })
  expect(JSON.stringify(outcome)).not.toContain(CANARY)
})

test('WebAssembly computes, but has no access', async () => {
  const bytes = '0,97,115,109,1,0,0,0,1,5,1,96,0,1,127,3,2,1,0,7,5,1,1,102,0,0,10,6,1,4,0,65,42,11'
  const code = `async function main() { const { instance } = await WebAssembly.instantiate(new Uint8Array([${bytes}])); return [instance.exports.f(), typeof Deno] }`
  expect(await run('javascript', code)).toMatchObject({ ok: true, output: [42, 'undefined'] })
})

describe('limits', () => {
  test('end an endless loop at the timeout, while other calls run', async () => {
    const endless = run('javascript', 'function main() { for (;;); }')
    expect(await run('javascript', 'function main() { return 1 }')).toMatchObject({ ok: true, output: 1 })
    expect(await endless).toMatchObject({
      ok: false,
      reason: 'timeout',
      error: 'The code took longer than 6 seconds. Reduce its work.',
    })
  })

  test.each([
    [
      '5 GB of bytes',
      'function main() { const kept = []; for (let n = 0; n < 50; n++) kept.push(new Uint8Array(1e8)); return kept.length }',
    ],
    ['unlimited objects', 'function main() { const kept = []; for (;;) kept.push(new Array(1e7).fill({})) }'],
    [
      'WebAssembly memory',
      'function main() { const kept = []; for (;;) { const memory = new WebAssembly.Memory({ initial: 16384 }); new Uint8Array(memory.buffer).fill(1); kept.push(memory) } }',
    ],
  ])(
    'end a call that allocates %s',
    async (_what, code) => {
      expect(await patient.run('javascript', code)).toMatchObject({ ok: false, reason: 'memory' })
    },
    70_000,
  )

  test('end a call that prints 300 MB, and 64 KB are kept', async () => {
    const outcome = await run(
      'javascript',
      'function main() { for (let n = 0; n < 300; n++) try { console.log("x".repeat(1e6)) } catch {} }',
    )
    expect(outcome.ok || outcome.reason).toBe('output')
    expect(outcome.printed.length).toBeLessThan(66_000)
    expect(outcome.printed.slice(-60)).toMatch(/x\n\[\d{9} more characters omitted\]$/)
  })

  test('refuse a result of more than 1 MB', async () => {
    expect(await run('javascript', 'function main() { return "x".repeat(1_000_000) }')).toMatchObject({
      ok: false,
      reason: 'output',
    })
  })
})

test('state left by one call is invisible to the next', async () => {
  await run(
    'javascript',
    'function main() { globalThis.left = 1; Object.prototype.left = 1; performance.mark("left") }',
  )
  expect(
    await run('javascript', 'function main() { return [typeof globalThis.left, typeof {}.left] }'),
  ).toMatchObject({
    output: ['undefined', 'undefined'],
  })
})

test.each([
  [
    'toJSON on all objects',
    'Object.prototype.toJSON = () => "forged"; String.prototype.toJSON = () => "forged"',
  ],
  ['JSON.stringify', 'JSON.stringify = () => `{"kind":"ready"}`'],
  ['TextEncoder', 'TextEncoder.prototype.encode = () => new Uint8Array(5)'],
  ['Promise', 'Promise.prototype.then = () => { throw new Error("no") }'],
])('replaced built-ins (%s) affect only the result of this call', async (_what, change) => {
  const outcome = await run('javascript', `function main() { ${change}; return { a: 1 } }`)
  expect(outcome.ok === false || ['{"a":1}', '"forged"'].includes(JSON.stringify(outcome.output))).toBe(true)
  expect(({} as { toJSON?: unknown }).toJSON).toBeUndefined()
  expect(await run('javascript', 'function main() { return { a: 1 } }')).toMatchObject({
    ok: true,
    output: { a: 1 },
  })
})

test('a result with __proto__ does not pollute the server', async () => {
  const outcome = await run(
    'javascript',
    'function main() { return JSON.parse(`{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}`) }',
  )
  expect(outcome.ok).toBe(true)
  expect(({} as { polluted?: number }).polluted).toBeUndefined()
})

test('close leaves no process', async () => {
  const other = openTestSandbox({ clockMs: 60_000, warm: 2 })
  const before = new Set(denoProcesses())
  const running = other.run('javascript', 'function main() { for (;;); }').catch((error: Error) => error)
  await expect.poll(() => denoProcesses().filter((pid) => !before.has(pid)).length).toBeGreaterThan(1)
  await new Promise((resolve) => setTimeout(resolve, 300))
  await other.close()
  expect(denoProcesses().filter((pid) => !before.has(pid))).toEqual([])
  expect(await running).toSatisfy((end) => end instanceof SandboxUnavailable || end.reason === 'crashed')
})
