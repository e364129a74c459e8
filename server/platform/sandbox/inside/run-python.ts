/*
 * Runs in Deno, in the process of one Python call, with Pyodide. The call is one synchronous call into WebAssembly.
 * Python communicates with the server only through a device file, so Python code holds no JavaScript objects. The
 * flag --disallow-code-generation-from-strings closes the remaining gaps: `eval` through ctypes, and the constructors
 * of proxies.
 */
import type { Task } from '../messages.ts'
import { openForks } from './fork.ts'
import { takePipe } from './pipe.ts'
import { stripRealm } from './strip-realm.ts'

interface Pyodide {
  FS: {
    makedev(major: number, minor: number): number
    registerDevice(device: number, operations: object): void
    mkdev(path: string, device: number): void
    writeFile(path: string, bytes: Uint8Array): void
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
/** Python imports from this archive, after all other folders (run.py). */
const TIME_ZONES = '/lib/tzdata.zip'
const DEVICE_MAJOR = 64
const PIECE_BYTES = 65_536
const TASK_BYTES_MAX = 16_000_000
const LINE_FEED = 10
const ENDING_CHARACTERS_MAX = 500

const pipe = takePipe()
const { deno } = pipe
const [
  mode = '',
  folder = '',
  snapshot = '',
  program = '',
  timeZones = '',
  socket = '',
  processorSeconds = '',
] = deno.args
const forks = mode === 'template' ? await openForks(pipe) : null
const source = new TextDecoder().decode(deno.readFileSync(program))
const python = await loadPython()
if (mode === 'snapshot') {
  python.runPython(source)
  pipe.sendBytes(python.makeMemorySnapshot())
  deno.exit(0)
}
if (snapshot === '') python.runPython(source)
/** Bytes that Python reads before stdin: the rest of the task line. */
let pending: Uint8Array = new Uint8Array()
openDevice()
python.FS.writeFile(TIME_ZONES, deno.readFileSync(timeZones))
captureOutput()
const begin = python.runPython('_begin') as () => void
// Must run before permissions are dropped, because Python locates its source of random numbers on first use.
python.runPython('_prepare()')
pipe.sendLine('{"kind":"ready"}')
if (forks !== null) {
  forks.serve(socket, Number(processorSeconds))
  pipe.sendLine('{"kind":"ready"}')
}
const line = readLine()
for (const wheel of (JSON.parse(new TextDecoder().decode(line)) as Task).wheels)
  python.unpackArchive(deno.readFileSync(wheel), 'wheel', { extractDir: PACKAGES })
for (const name of ['read', 'ffi'] as const) deno.permissions.revokeSync({ name })
stripRealm()
pending = line
try {
  begin()
} catch (error) {
  pipe.fail('crashed', `Python stopped: ${String(error).slice(0, ENDING_CHARACTERS_MAX)}`)
}
pipe.fail('crashed', 'Python stopped before it returned a result. Try again.')

async function loadPython(): Promise<Pyodide> {
  // Python shows the program's name in `sys`, and tenant code must not see where the server is installed.
  const { process } = globalThis as unknown as { process: { argv: string[] } }
  process.argv[1] = 'python'
  const { loadPyodide } = await import(`file://${folder}/pyodide.mjs`)
  // The globals that `import js` makes available: only those that Pyodide itself needs.
  const jsglobals = Object.assign(Object.create(null), { Array, Error, Map, Object, Promise, Set })
  return loadPyodide({
    indexURL: `${folder}/`,
    jsglobals,
    env: { HOME: '/home/pyodide', _: undefined },
    ...(mode === 'snapshot' ? { _makeSnapshot: true } : {}),
    ...(snapshot === '' ? {} : { _loadSnapshot: deno.readFileSync(snapshot) }),
  })
}

/** Creates the device file /dev/host, through which Python exchanges lines with the server. */
function openDevice(): void {
  const device = python.FS.makedev(DEVICE_MAJOR, 0)
  const bytesOf = (buffer: Int8Array, offset: number, length: number): Uint8Array =>
    new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length)
  python.FS.registerDevice(device, {
    open() {},
    close() {},
    read(_stream: unknown, buffer: Int8Array, offset: number, length: number): number {
      if (pending.length === 0) return pipe.read(bytesOf(buffer, offset, length)) ?? 0
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
        // Copy the bytes, because the buffer is detached when WebAssembly memory grows.
        pipe.print(decode(bytes.slice(), { stream: true }))
        return bytes.length
      },
    })
  }
  python.setStdin({ error: true })
}

/** Returns the first line from the server, including its line feed. */
function readLine(): Uint8Array {
  const pieces: Uint8Array[] = []
  let length = 0
  for (;;) {
    const buffer = new Uint8Array(PIECE_BYTES)
    const count = pipe.read(buffer)
    if (!count || length > TASK_BYTES_MAX) return pipe.exit(0)
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
