/*
 * Runs in Deno: the process of one call of Python, by Pyodide. The whole call is one synchronous call into WebAssembly;
 * what Python says to the server and hears from it goes through one device file, so it holds no object of JavaScript.
 * The flag --disallow-code-generation-from-strings closes what is left: `eval` through ctypes, constructors of proxies.
 */
import type { Task } from '../messages.ts'
import { takePipe } from './pipe.ts'
import { stripRealm } from './strip-realm.ts'

interface Pyodide {
  FS: {
    makedev(major: number, minor: number): number
    registerDevice(device: number, operations: object): void
    mkdev(path: string, device: number): void
  }
  version: string
  setStdin(options: { error: true }): void
  setStdout(options: { write(bytes: Uint8Array): number }): void
  setStderr(options: { write(bytes: Uint8Array): number }): void
  runPython(code: string): unknown
  unpackArchive(bytes: Uint8Array, format: 'wheel', options: { extractDir: string }): void
  makeMemorySnapshot(): Uint8Array
}

const PACKAGES = '/lib/python3.14/site-packages'
const DEVICE_MAJOR = 64
const PIECE_BYTES = 65_536
const TASK_BYTES_MAX = 16_000_000
const LINE_FEED = 10
const ENDING_CHARACTERS_MAX = 500

const pipe = takePipe()
const { deno } = pipe
const [mode = '', folder = '', snapshot = '', program = ''] = deno.args
const source = new TextDecoder().decode(deno.readFileSync(program))
const python = await loadPython()
if (mode === 'snapshot') {
  python.runPython(source)
  pipe.sendBytes(python.makeMemorySnapshot())
  deno.exit(0)
}
if (snapshot === '') python.runPython(source)
const readSync = deno.stdin.readSync.bind(deno.stdin)
/** What Python reads next: the rest of what came with a line that was read here. */
let pending: Uint8Array = new Uint8Array()
openDevice()
captureOutput()
const begin = python.runPython('_begin') as () => void
// Also because its source of random numbers is looked for when it is first used, and could not be found later.
python.runPython('_prepare()')
pipe.sendLine('{"kind":"ready"}')
const line = readLine()
for (const wheel of (JSON.parse(new TextDecoder().decode(line)) as Task).wheels)
  python.unpackArchive(deno.readFileSync(wheel), 'wheel', { extractDir: PACKAGES })
deno.permissions.revokeSync({ name: 'read' })
stripRealm()
pending = line
try {
  begin()
} catch (error) {
  pipe.fail('crashed', `Python ended: ${String(error).slice(0, ENDING_CHARACTERS_MAX)}`)
}
pipe.fail('crashed', 'Python ended without a result.')

async function loadPython(): Promise<Pyodide> {
  const { loadPyodide } = await import(`file://${folder}/pyodide.mjs`)
  // What `import js` would show: the least that Pyodide itself needs.
  const jsglobals = Object.assign(Object.create(null), { Array, Error, Map, Object, Promise, Set })
  return loadPyodide({
    indexURL: `${folder}/`,
    jsglobals,
    env: { HOME: '/home/pyodide' },
    ...(mode === 'snapshot' ? { _makeSnapshot: true } : {}),
    ...(snapshot === '' ? {} : { _loadSnapshot: deno.readFileSync(snapshot) }),
  })
}

/** /dev/host: lines to the server and from it. */
function openDevice(): void {
  const device = python.FS.makedev(DEVICE_MAJOR, 0)
  const bytesOf = (buffer: Int8Array, offset: number, length: number): Uint8Array =>
    new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length)
  python.FS.registerDevice(device, {
    open() {},
    close() {},
    read(_stream: unknown, buffer: Int8Array, offset: number, length: number): number {
      if (pending.length === 0) return readSync(bytesOf(buffer, offset, length)) ?? 0
      const piece = pending.subarray(0, length)
      bytesOf(buffer, offset, length).set(piece)
      pending = pending.subarray(piece.length)
      return piece.length
    },
    write(_stream: unknown, buffer: Int8Array, offset: number, length: number): number {
      pipe.sendBytes(bytesOf(buffer, offset, length))
      return length
    },
  })
  python.FS.mkdev('/dev/host', device)
}

function captureOutput(): void {
  for (const name of ['setStdout', 'setStderr'] as const) {
    const decoder = new TextDecoder()
    const decode = decoder.decode.bind(decoder)
    python[name]({
      write(bytes) {
        // A copy: what Python's memory holds moves where it grows.
        pipe.print(decode(bytes.slice(), { stream: true }))
        return bytes.length
      },
    })
  }
  python.setStdin({ error: true })
}

/** The first line from the server, with its end. */
function readLine(): Uint8Array {
  const pieces: Uint8Array[] = []
  let length = 0
  for (;;) {
    const buffer = new Uint8Array(PIECE_BYTES)
    const count = readSync(buffer)
    if (count === null || length > TASK_BYTES_MAX) return deno.exit(0)
    pieces.push(buffer.subarray(0, count))
    length += count
    if (buffer[count - 1] === LINE_FEED) break
  }
  const line = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    line.set(piece, at)
    at += piece.length
  }
  return line
}
