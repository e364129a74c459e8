/*
 * Runs in Deno on Linux, in the process with a started Python interpreter. Serves each call in a copy of that process,
 * made with fork(2), so that a call does not wait for an interpreter to start. A copy has only one thread. It
 * therefore never returns to Deno's event loop, and V8 runs with flags that need no other thread.
 */
import type { Ends, Pipe } from './pipe.ts'

const C = {
  fork: { parameters: [], result: 'i32' },
  madvise: { parameters: ['usize', 'usize', 'i32'], result: 'i32' },
  waitpid: { parameters: ['i32', 'buffer', 'i32'], result: 'i32' },
  getpid: { parameters: [], result: 'i32' },
  signal: { parameters: ['i32', 'usize'], result: 'usize' },
  setrlimit: { parameters: ['i32', 'buffer'], result: 'i32' },
  setpriority: { parameters: ['i32', 'i32', 'i32'], result: 'i32' },
  socket: { parameters: ['i32', 'i32', 'i32'], result: 'i32' },
  connect: { parameters: ['i32', 'buffer', 'u32'], result: 'i32' },
  dup2: { parameters: ['i32', 'i32'], result: 'i32' },
  close: { parameters: ['i32'], result: 'i32' },
  read: { parameters: ['i32', 'buffer', 'usize'], result: 'isize' },
  write: { parameters: ['i32', 'buffer', 'usize'], result: 'isize' },
  getrandom: { parameters: ['buffer', 'usize', 'u32'], result: 'isize' },
  _exit: { parameters: ['i32'], result: 'void' },
}
type Libc = Record<keyof typeof C, (...values: unknown[]) => number | bigint>

const ADDRESS_SPACE_BYTES = 1n << 48n
const MADV_DOFORK = 11
const SIGCHLD = 17
const SIG_IGN = 1
const RLIMIT_CPU = 0
const PRIO_PROCESS = 0
/** The lower priority that deno-process.ts gives to other processes. */
const NICE = 10
const AF_UNIX = 1
const SOCK_STREAM = 1
const ADDRESS_BYTES = 110
/** Deno's own files, such as its event loop, which a copy shares with the original until it closes them. */
const FILES_MAX = 256
const LINE_FEED = 10

export interface Forks {
  /**
   * Reads lines from the server and makes a copy for each. Returns only in a copy, which is connected to the server
   * through the socket at `path`, relative to the current folder.
   */
  serve(path: string, processorSeconds: number): void
}

/**
 * Opens the C library, and throws if copies do not run here. Replaces Node's source of random bytes with the kernel's,
 * because copies would inherit the state of Deno's generator and produce the same bytes.
 */
export async function openForks(pipe: Pipe): Promise<Forks> {
  const libc = pipe.deno.dlopen('libc.so.6', C).symbols as Libc
  const { default: crypto } = await import('node:crypto')
  crypto.randomFillSync = (view) => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
    if (Number(libc.getrandom(bytes, bytes.length, 0)) !== bytes.length)
      throw new Error('The kernel returned no random bytes.')
    return view
  }
  testFork(libc)
  return {
    serve(path, processorSeconds) {
      libc.signal(SIGCHLD, SIG_IGN) // The kernel removes copies that have ended.
      const line = new Uint8Array(1)
      for (;;) {
        if (pipe.read(line) !== 1) libc._exit(0)
        if (line[0] !== LINE_FEED) continue
        const pid = fork(libc)
        if (pid < 0) libc._exit(1)
        if (pid > 0) continue
        libc.setpriority(PRIO_PROCESS, 0, NICE)
        libc.setrlimit(RLIMIT_CPU, new BigUint64Array([BigInt(processorSeconds), BigInt(processorSeconds)]))
        pipe.replaceEnds(connect(libc, path))
        return
      }
    },
  }
}

/** V8 excludes its memory from copies. This includes it again, except for what only the kernel may copy. */
function fork(libc: Libc): number {
  libc.madvise(0, ADDRESS_SPACE_BYTES, MADV_DOFORK)
  return Number(libc.fork())
}

/** Throws if a copy does not run, for example because the operating system excludes memory from it. */
function testFork(libc: Libc): void {
  const pid = fork(libc)
  if (pid === 0) libc._exit(0)
  const status = new Int32Array(1)
  if (pid < 0 || Number(libc.waitpid(pid, status, 0)) !== pid || status[0] !== 0)
    throw new Error(`A copy of this process does not run: status ${status[0]}.`)
}

/**
 * Connects twice to the server's socket: for messages, and for what Deno writes to stderr. Each connection begins with
 * a line that contains the process id.
 */
function connect(libc: Libc, path: string): Ends {
  const address = new Uint8Array(ADDRESS_BYTES)
  new Uint16Array(address.buffer)[0] = AF_UNIX
  new TextEncoder().encodeInto(path, address.subarray(2, -1))
  const open = (name: string): number => {
    const file = Number(libc.socket(AF_UNIX, SOCK_STREAM, 0))
    if (file < 0 || Number(libc.connect(file, address, ADDRESS_BYTES)) !== 0) libc._exit(1)
    const greeting = new TextEncoder().encode(`${name} ${libc.getpid()}\n`)
    libc.write(file, greeting, greeting.length)
    return file
  }
  const messages = open('messages')
  const errors = open('errors')
  libc.dup2(messages, 0)
  libc.dup2(messages, 1)
  libc.dup2(errors, 2)
  for (let file = 3; file < FILES_MAX; file++) libc.close(file)
  const { read, write, _exit: exit } = libc
  const checked = (count: number): number => (count < 0 ? (exit(1) as never) : count)
  return {
    read: (buffer) => checked(Number(read(0, buffer, buffer.length))),
    write: (bytes) => checked(Number(write(1, bytes, bytes.length))),
    exit: (code) => exit(code) as never,
  }
}
