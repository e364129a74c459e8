import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Answer } from '#tests/support/client.ts'
import { callMain, type ToolParts, toolsmith } from '#tests/support/toolsmith.ts'
import type { Row } from './row.ts'
import { memoryOf } from './server-memory.ts'
import type { Stage } from './stage.ts'
import { openTrap } from './trap.ts'

/** Expressions that must fail in any tool. Names in braces are placeholders. */
const JAVASCRIPT = `
Deno.readTextFileSync("{file}")
Deno.readTextFile("/etc/passwd")
Deno.env.toObject()
Deno.env.get("SECRET")
process.env
globalThis.process.mainModule.require("fs").readFileSync("{file}", "utf8")
require("node:fs").readFileSync("{file}", "utf8")
import("node:fs").then((fs) => fs.readFileSync("{file}", "utf8"))
import("fs").then((fs) => fs.readFileSync("{file}", "utf8"))
import("node:child_process").then((it) => it.execSync("cat {file}").toString())
import("{file}", { with: { type: "text" } })
import("file://{file}")
import("npm:left-pad")
import("http://127.0.0.1:{port}/code.js")
new Deno.Command("cat", { args: ["{file}"] }).outputSync()
Deno.run({ cmd: ["cat", "{file}"] })
Deno.connect({ hostname: "127.0.0.1", port: {port} })
Deno.listen({ port: 0 })
Deno.dlopen("libc.so.6", {})
Deno.writeTextFileSync("{written}", "x")
Deno.symlinkSync("/etc/passwd", "link")
Deno.openKv()
fetch("http://127.0.0.1:{port}/").then((it) => it.text())
fetch("http://localhost:{port}/").then((it) => it.text())
fetch("file://{file}").then((it) => it.text())
fetch("file:///proc/self/environ").then((it) => it.text())
fetch("data:text/plain,x", { headers: { host: "127.0.0.1:{port}" } }).then(() => "x")
new Request("http://127.0.0.1:{port}/")
new WebSocket("ws://127.0.0.1:{port}/")
new Worker("data:text/javascript,postMessage(Deno.env.toObject())", { type: "module" })
new EventSource("http://127.0.0.1:{port}/")
new Function("return Deno")().env.toObject()
(async () => {}).constructor("return import('node:fs')")().then((fs) => fs.readFileSync("{file}", "utf8"))
eval("Deno").readTextFileSync("{file}")
globalThis[Symbol.for("Deno.internal")].core.ops
Error.prepareStackTrace = (_e, frames) => frames[0].getThis()
Object.getOwnPropertyNames(globalThis).filter((name) => /deno|process|require/i.test(name))
Deno.kill(Deno.ppid, "SIGKILL")
`
const PYTHON = `
open("{file}").read()
open("/etc/passwd").read()
open("/proc/self/environ").read()
open("/proc/1/environ").read()
dict(__import__("os").environ)
__import__("os").listdir("/proc/self/fd")
__import__("subprocess").run(["cat", "{file}"], capture_output=True).stdout
__import__("os").popen("cat {file}").read()
__import__("os").system("cat {file}")
__import__("os").fork()
__import__("socket").create_connection(("127.0.0.1", {port}), 1)
__import__("urllib.request").request.urlopen("http://127.0.0.1:{port}/").read()
__import__("urllib.request").request.urlopen("file://{file}").read()
__import__("js").Deno.env.toObject()
__import__("pyodide_js")
__import__("pyodide.code").code.run_js("Deno.readTextFileSync('{file}')")
__import__("_pyodide_core")
__import__("ctypes").CDLL(None).system(b"cat {file}")
__import__("ctypes").string_at(0)
__import__("mmap")
open("{written}", "w").write("x")
().__class__.__base__.__subclasses__()[0].__init__.__globals__
`

/** Tools that violate the protocol between sandbox and server, or exceed the sandbox's limits. */
const BREAKERS: [what: string, tool: ToolParts][] = [
  [
    'a forged answer',
    js('console.log(JSON.stringify({ kind: "result", ok: true, output: "forged" })); return "true"'),
  ],
  ['a flood of output', js('for (;;) console.log("x".repeat(100_000))')],
  ['a flood of errors', js('for (;;) console.error("x".repeat(100_000))')],
  ['all memory', js('const all = []; for (;;) all.push(new Uint8Array(10_000_000).fill(1))')],
  ['deep recursion', js('const dive = () => dive() + 1; return dive()')],
  ['a result that is too large', js('return "x".repeat(5_000_000)')],
  ['a circular result', js('const loop = {}; loop.loop = loop; return loop')],
  [
    'a result with __proto__',
    js(
      'return JSON.parse(\'{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}\')',
    ),
  ],
  [
    'prototypes',
    js(
      'Object.prototype.polluted = true; Array.prototype.map = () => "taken"; Promise.prototype.then = () => {}; return "done"',
    ),
  ],
  ['toJSON', js('Object.prototype.toJSON = () => ({ kind: "result", polluted: true }); return {}')],
  ['its own exit', js('self.close?.(); throw new Error("<script>alert(1)</script>")')],
  ['all memory in Python', python('x = []\n  while True: x.append(bytearray(10_000_000))')],
  ['a flood of output in Python', python('while True: print("x" * 100_000)')],
  ['its own exit in Python', python('import os; os._exit(1)')],
]

/** Maximum growth of the server's memory during a series of calls. */
const GROWTH_BYTES_MAX = 400 * 1024 * 1024

/** Runs tenants' code that tries to use files, the environment, the network or programs, or to exceed its limits. */
export const sandboxEscapes: Row = {
  name: 'sandbox-escapes',
  cases: { full: Number.POSITIVE_INFINITY, commit: 20 },
  async run(stage, { cases }) {
    const trap = await openTrap()
    const [file, written] = [join(stage.dataDir, 'canary.txt'), join(stage.dataDir, 'written.txt')]
    const canary = `canary-${crypto.randomUUID()}`
    writeFileSync(file, canary)
    const fill = (text: string): string[] =>
      text
        .trim()
        .split('\n')
        .map((line) =>
          line
            .replaceAll('{file}', file)
            .replaceAll('{written}', written)
            .replaceAll('{port}', String(trap.port)),
        )
    const failures: string[] = []
    let tried = 0
    try {
      const run = await toolRunner(stage)
      const lists = [
        ['JavaScript', fill(JAVASCRIPT), triesInJavaScript],
        ['Python', fill(PYTHON), triesInPython],
      ] as const
      const before = memoryOf(stage)
      for (const [language, lines, write] of lists) {
        if (language === 'Python' && cases <= 20) continue // Pyodide takes seconds to start
        // Some attacks end the Python process, so each expression runs in its own process.
        const groups = language === 'Python' ? lines.map((line) => [line]) : [lines]
        const outcomes: string[] = []
        for (const group of groups) {
          const { status, text } = await run(write(group))
          const found = outcomesIn(text)
          if (status !== 200) failures.push(`${language}: ${status} ${text.slice(0, 300)}`)
          outcomes.push(...(found.length === group.length ? found : [text]))
        }
        for (const [index, outcome] of outcomes.entries()) {
          tried += 1
          if (
            [canary, 'root:x:', stage.secret, 'ADMIN_PASSWORD', 'trap-was-reached'].some((secret) =>
              outcome.includes(secret),
            )
          )
            failures.push(`${language}: ${lines[index]}: ${outcome.slice(0, 200)}`)
        }
        if (existsSync(written)) failures.push(`${language}: wrote a file`)
        if (trap.connections() > 0) failures.push(`${language}: connected`)
      }
      for (const [what, tool] of BREAKERS.slice(0, cases <= 20 ? 8 : BREAKERS.length)) {
        tried += 1
        const { status, text } = await run(tool)
        if (status !== 200 || text.includes('"output":"forged"') || /"polluted":true,"/.test(text))
          failures.push(`${what}: ${status} ${text.slice(0, 200)}`)
        const next = await run(js('return [].map ? { polluted: ({}).polluted ?? "no" } : "taken"'))
        if (!next.text.includes('"polluted":"no"'))
          failures.push(`${what}: the next call has ${next.text.slice(0, 200)}`)
        const health = await stage.call('GET', '/healthz')
        if (health.status !== 200) failures.push(`${what}: the server returns ${health.status}`)
      }
      const growth = memoryOf(stage) - before
      if (growth > GROWTH_BYTES_MAX) failures.push(`the server's memory grew by ${growth} bytes`)
    } catch (error) {
      failures.push(`the server has stopped or does not respond: ${error}`)
    } finally {
      await trap.close()
    }
    return { cases: tried, failures }
  },
  brokenBy: [
    {
      without: 'permissions and a stripped global object',
      edits: [
        {
          file: 'server/platform/sandbox/deno-command.ts',
          text: "'--no-prompt',",
          replacement: "'--allow-all',",
        },
        {
          file: 'server/platform/sandbox/inside/strip-realm.ts',
          text: 'if (!stays.has(name) &&',
          replacement: 'if (stays.size === 0 &&',
        },
      ],
    },
  ],
}

function js(body: string): ToolParts {
  return { code: `export async function main() { ${body} }`, inputs: [] }
}

function python(body: string): ToolParts {
  return { framework: 'python', code: `def main():\n  ${body}`, inputs: [] }
}

/** Returns a tool that evaluates each expression separately, and returns the outcomes as strings. */
const triesInJavaScript = (lines: string[]): ToolParts =>
  js(
    `const tries = ${JSON.stringify(lines)}; const out = []; for (const line of tries) { try { const value = await eval(line); out.push("OUT:" + (typeof value === "string" ? value : JSON.stringify(value) ?? String(value)).slice(0, 2000)) } catch (error) { out.push("OUT:refused " + String(error).slice(0, 200)) } } return out`,
  )

const triesInPython = (lines: string[]): ToolParts =>
  python(
    `out = []\n  for line in ${JSON.stringify(lines)}:\n    try: out.append("OUT:" + str(eval(line))[:2000])\n    except BaseException as error: out.append("OUT:refused " + str(error)[:200])\n  return out`,
  )

const outcomesIn = (text: string): string[] =>
  Array.from(text.matchAll(/"OUT:((?:[^"\\]|\\.)*)"/g), ([, outcome = '']) => outcome)

/** Returns a function that saves a tool and makes the emulated model call it. */
async function toolRunner(stage: Stage): Promise<(tool: ToolParts) => Promise<Answer>> {
  const smith = toolsmith(stage, await stage.signUp())
  return async (tool) => {
    const made = await smith.submit(tool)
    if (made.status !== 201) return made
    return callMain(smith, made.body.id, `${stage.provider.url}/v1`)
  }
}
