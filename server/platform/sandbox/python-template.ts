import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { PROCESSOR_SECONDS_MAX, type Start } from './deno-command.ts'
import { type DenoProcess, makeFolder, openProcess, startDenoProcess } from './deno-process.ts'

/** Thrown if the interpreter has ended before it was ready, because its memory or its snapshot cannot be used. */
export class CopiesUnavailable extends Error {}

/**
 * A started Python interpreter that serves no call itself. Each call gets a copy of its process, which takes
 * milliseconds instead of a start (inside/fork.ts).
 */
export interface Template {
  /** Returns a new copy. Starts the interpreter if it does not run. Rejects with CopiesUnavailable. */
  fork(): Promise<DenoProcess>
  /** Ends the interpreter when its calls have ended. The next `fork` starts another one. */
  evict(): void
  /** Ends the interpreter for good. Resolves when it has exited. */
  close(): Promise<void>
}

/** Name of the socket in the interpreter's folder, through which copies connect. */
const SOCKET = 'copies'
/** Timeout for a copy, including the start of the interpreter. */
const FORK_MS_MAX = 60_000

/** `start` returns how to start an interpreter, without the parameters that concern its copies. */
export function createTemplate(start: () => Promise<Start>): Template {
  let running: Promise<Interpreter> | undefined
  const retiring = new Set<Promise<void>>()
  let isClosed = false

  const open = (): Promise<Interpreter> => {
    const opening = start().then((found) => {
      if (isClosed) throw new Error('The server is stopping.')
      return startInterpreter(found)
    })
    const forget = (): void => {
      if (running === opening) running = undefined
    }
    opening.then((interpreter) => interpreter.ended).then(forget, forget)
    return opening
  }
  return {
    async fork() {
      running ??= open()
      return (await running).fork()
    },
    evict() {
      const leaving = running?.then(
        (interpreter) => interpreter.retire(),
        () => {},
      )
      if (leaving !== undefined) retiring.add(leaving)
      leaving?.finally(() => retiring.delete(leaving))
      running = undefined
    },
    async close() {
      isClosed = true
      const interpreter = await running?.catch(() => undefined)
      await Promise.all([interpreter?.end(), ...retiring])
    },
  }
}

interface Interpreter {
  fork(): Promise<DenoProcess>
  ended: Promise<void>
  /** Ends the interpreter when the copies that callers wait for have been made and have ended. */
  retire(): Promise<void>
  /** Ends the interpreter after its existing copies, because a process without a parent may stay a zombie. */
  end(): Promise<void>
}

async function startInterpreter(start: Start): Promise<Interpreter> {
  const folder = makeFolder()
  const waiting: ((copy: DenoProcess) => void)[] = []
  const forking = new Set<Promise<DenoProcess>>()
  const copies = new Set<DenoProcess>()
  const accept = acceptCopies((copy) => {
    copies.add(copy)
    void copy.ended.then(() => copies.delete(copy))
    const resolve = waiting.shift()
    if (resolve === undefined) copy.end()
    else resolve(copy)
  })
  const server = createServer((socket) => void accept(socket).catch(() => socket.destroy()))
  server.listen(join(folder, SOCKET))
  await once(server, 'listening')
  const parameters = [...start.parameters, SOCKET, String(PROCESSOR_SECONDS_MAX)]
  const original = startDenoProcess({ ...start, parameters, forks: true }, folder)
  let isKilled = false
  const kill = (): void => {
    isKilled = true
    original.end()
  }
  const stopped = original.ended.then(() => {
    server.close()
    waiting.length = 0
    throw new Error('The Python interpreter has stopped.')
  })
  stopped.catch(() => {})

  const fork = async (): Promise<DenoProcess> => {
    await original.ready.catch((error: Error) => {
      throw isKilled ? error : new CopiesUnavailable(error.message)
    })
    const copied = new Promise<DenoProcess>((resolve) => waiting.push(resolve))
    original.send({ kind: 'fork' })
    return Promise.race([copied, stopped])
  }
  const end = async (): Promise<void> => {
    await Promise.all([...copies].map((copy) => copy.ended))
    kill()
    await original.ended
  }
  return {
    ended: original.ended,
    end,
    async retire() {
      await Promise.allSettled(forking)
      await end()
    },
    fork() {
      const clock = setTimeout(kill, FORK_MS_MAX)
      const forked = fork().finally(() => {
        clearTimeout(clock)
        forking.delete(forked)
      })
      forking.add(forked)
      return forked
    },
  }
}

/** Returns a function that takes the connections of copies, and calls `onCopy` when a copy has made both of its own. */
function acceptCopies(onCopy: (copy: DenoProcess) => void): (socket: Socket) => Promise<void> {
  const connected = new Map<number, Record<string, Socket>>()
  return async (socket) => {
    socket.on('error', () => {})
    const [name = '', id] = (await readGreeting(socket)).split(' ')
    const pid = Number(id)
    const sockets = { ...connected.get(pid), [name]: socket }
    const { messages, errors } = sockets
    if (messages === undefined || errors === undefined) connected.set(pid, sockets)
    else {
      connected.delete(pid)
      onCopy(openCopy(pid, messages, errors))
    }
  }
}

/** Returns the first line, and leaves the rest in the stream. */
async function readGreeting(socket: Socket): Promise<string> {
  await once(socket, 'readable')
  const bytes: Buffer = socket.read() ?? Buffer.alloc(0)
  const end = bytes.indexOf('\n')
  if (end + 1 < bytes.length) socket.unshift(bytes.subarray(end + 1))
  return bytes.toString('latin1', 0, end)
}

/** Resolves when the socket has closed, also after an error: a copy that ends with unread messages resets its connections. */
const closeOf = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()))

function openCopy(pid: number, messages: Socket, errors: Socket): DenoProcess {
  const exited = Promise.all([messages, errors].map(closeOf)).then(() => '')
  const kill = (): void => {
    // The kernel may give the process id to another process after the connections have closed.
    if (messages.closed || errors.closed) return
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // The process has already ended.
    }
  }
  return openProcess({ input: messages, output: messages, errors, kill, exited })
}
