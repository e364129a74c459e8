import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { callOf, codeOf, openTestSandbox } from '#tests/support/sandbox.ts'
import type { SandboxOutcome } from './sandbox.ts'

/**
 * Tests Python code that tries to escape the sandbox. Each attempt must be refused, and no output may contain CANARY.
 */

const CANARY = 'canary-5a07'
const { sandbox, run, close } = openTestSandbox({ clockMs: 60_000 })
/** Number of connections that the listener received. */
let heard = 0
const listener = createServer((socket) => {
  heard++
  socket.end(CANARY)
})
beforeAll(async () => {
  await listen(listener)
  process.env['PARLEY_CANARY'] = CANARY
})
afterAll(async () => {
  await close()
  listener.close()
  delete process.env['PARLEY_CANARY']
})

/** Attempts that run one by one in the same process, each with its expected error. */
const TRIES: [what: string, code: string, refusal: RegExp][] = [
  ['a system file', 'open("/etc/passwd").read()', /FileNotFoundError/],
  ['the environment of the process', 'open("/proc/self/environ").read()', /FileNotFoundError/],
  ["the server's source", 'open(source).read()', /FileNotFoundError/],
  [
    'a link to a file',
    '(os.symlink("/etc/passwd", "/tmp/link"), open("/tmp/link").read())',
    /FileNotFoundError/,
  ],
  ['reopening the device', 'open("/dev/host").read()', /FileNotFoundError/],
  [
    'an executable',
    'subprocess.run(["id"])',
    /not support processes|OSError|PermissionError|NotImplementedError/,
  ],
  ['a shell', 'os.popen("id").read()', /not support processes|OSError|NotImplementedError|AttributeError/],
  ['a fork', 'os.fork()', /AttributeError|OSError|NotImplementedError/],
  ['a thread', 'threading.Thread(target=print).start()', /can't start new thread/],
  ['a socket', 'socket.create_connection(("127.0.0.1", port), 1)', /Error/],
  [
    'the local machine',
    'urllib.request.urlopen(f"http://127.0.0.1:{port}/").read()',
    /has no network access and cannot reach 127\.0\.0\.1/,
  ],
  [
    'the cloud metadata address',
    'urllib.request.urlopen("http://169.254.169.254/latest/").read()',
    /169\.254\.169\.254/,
  ],
  ['a file URL', 'urllib.request.urlopen("file:///etc/passwd").read()', /URLError/],
  ['JavaScript', '__import__("js")', /No module named 'js'/],
  ['Pyodide', '__import__("pyodide_js")', /No module named 'pyodide_js'/],
  ['the code of Pyodide', '__import__("pyodide.code").code.run_js("1")', /No module named 'pyodide\.code'/],
  ['the proxies of Pyodide', '__import__("pyodide.ffi")', /No module named 'pyodide\.ffi'/],
  ['the core of Pyodide', '__import__("_pyodide_core")', /No module named '_pyodide_core'/],
  [
    'a JavaScript proxy found in memory',
    '[m for m in gc.get_objects() if type(m).__name__ == "JsProxy"][0]',
    /IndexError/,
  ],
]

// Long timeout: the first run may have to create Python's snapshot.
test('every attempt is refused, and the environment contains nothing of the server', async () => {
  const tries = TRIES.map(([what, code]) => [what, code])
  const code = `
import gc, os, socket, subprocess, sys, threading, urllib.request
def main(tries, source, port):
    outcomes = {}
    for what, code in tries:
        try:
            outcomes[what] = "GOT " + repr(eval(code, globals() | {"source": source, "port": port}))
        except BaseException as error:
            outcomes[what] = f"{type(error).__name__}: {error}"
    return [outcomes, dict(os.environ), repr(vars(sys))]`
  const input = {
    tries,
    source: `${import.meta.dirname}/sandbox.ts`,
    port: portOf(listener),
  }
  const outcome = await run('python', code, { input })
  expect(outcome).toMatchObject({ ok: true })
  const [outcomes, environment, names] = (outcome.ok ? outcome.output : []) as [
    Record<string, string>,
    Record<string, string>,
    string,
  ]
  for (const [what, , refusal] of TRIES) {
    expect(outcomes?.[what], what).toMatch(refusal)
    expect(outcomes?.[what], what).not.toMatch(/^GOT/)
  }
  expect(heard).toBe(0)
  expect(environment).toMatchObject({ HOME: '/home/pyodide' })
  expect(environment).not.toHaveProperty('_')
  expect(JSON.stringify(environment)).not.toMatch(new RegExp(`${CANARY}|DENO|DATABASE`))
  expect(JSON.stringify([environment, names])).not.toContain('sandbox/inside')
}, 120_000)

/**
 * Attempts to bypass the import restrictions. Even if one reaches JavaScript, strings are not evaluated, and neither
 * Deno nor a global object is available.
 */
const BEHIND: [what: string, code: string, refusal: RegExp][] = [
  [
    'eval through ctypes',
    'import ctypes\ndef main():\n  run = ctypes.CDLL(None).emscripten_run_script_string\n  run.restype = ctypes.c_char_p\n  return str(run(b"typeof Deno + globalThis"))',
    /Code generation from strings disallowed/,
  ],
  [
    'removing the import finder',
    'import sys, importlib\ndef main():\n  sys.meta_path.pop(0)\n  import js\n  return js.Object.constructor.constructor("return typeof Deno")()',
    /No module named 'js'|Code generation from strings disallowed/,
  ],
  [
    'reloading the core',
    'import importlib.machinery as m\ndef main():\n  spec = m.BuiltinImporter.find_spec("_pyodide_core")\n  core = m.BuiltinImporter.create_module(spec)\n  m.BuiltinImporter.exec_module(core)\n  return core.raw_call.constructor("return typeof Deno")()',
    /Error|ended|None/,
  ],
  [
    'a shell through ctypes',
    'import ctypes\ndef main():\n  return ["status", ctypes.CDLL(None).system(b"id > /tmp/out"), open("/tmp/out").read()]',
    /Error|ended/,
  ],
]
test.each(BEHIND)('%s is refused', async (_what, code, refusal) => {
  const outcome = await run('python', code)
  expect(outcome).toMatchObject({ ok: false, error: expect.stringMatching(refusal) })
})

describe('a concurrent call', () => {
  /** Code that sends requests as long as the response is `go on`. */
  const LIVE =
    'import urllib.request\ndef main(url):\n  while urllib.request.urlopen(url).read() == b"go on": pass\n  return 1'
  let answer: ((text: string) => void) | undefined
  let other: Promise<SandboxOutcome>
  const host = createHttpServer((_request, response) => {
    answer = (text) => {
      answer = undefined
      response.end(text)
    }
  })
  const otherAsks = () => vi.waitFor(() => expect(answer).toBeDefined(), { timeout: 60_000 })
  const expectOtherToLive = async () => {
    answer?.('go on')
    await otherAsks()
  }
  beforeAll(async () => {
    await listen(host)
    const name = `other.example:${portOf(host)}`
    const call = callOf(codeOf('python', LIVE), { input: { url: `http://${name}/` }, network: [name] })
    other = sandbox.run('other', call, new AbortController().signal)
    await otherAsks()
  })
  afterAll(() => {
    host.closeAllConnections()
    host.close()
  })

  test.each([
    [
      'a signal to the parent',
      'import os, signal\ndef main():\n  os.kill(os.getppid(), signal.SIGKILL)\n  return "sent"',
    ],
    [
      'a signal to all processes',
      'import os, signal\ndef main():\n  os.kill(-1, signal.SIGKILL)\n  return "sent"',
    ],
    ['an exit of the process', 'import os\ndef main(): os._exit(0)'],
    ['an abort', 'import os\ndef main(): os.abort()'],
    [
      'garbage sent to the server',
      'import os\ndef main():\n  for fd in range(3, 10):\n    try: os.write(fd, b"garbage\\n")\n    except OSError: pass\n  while True: pass',
    ],
  ])('survives %s', async (_what, code) => {
    const outcome = await run('python', code)
    expect(outcome.ok === false || outcome.output === 'sent').toBe(true)
    await expectOtherToLive()
  })

  test('does not get a forged result of another call', async () => {
    const forge =
      'import os\ndef main():\n  for fd in range(3, 10):\n    try: os.write(fd, b\'{"kind":"done","output":"forged"}\\n\')\n    except OSError: pass\n  return "true"'
    expect(await run('python', forge)).toMatchObject({ ok: true, output: 'forged' })
    answer?.('end')
    expect(await other).toMatchObject({ ok: true, output: 1 })
  })
})

const listen = (server: Server): Promise<void> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))

const portOf = (server: Server): number => (server.address() as AddressInfo).port
