import { createServer, type Socket } from 'node:net'
import type { PGlite } from '@electric-sql/pglite'
import { FrontendMessages, type MessageGroup } from './frontend-messages.ts'

const CONNECTIONS_MAX = 4

/**
 * Serves the embedded database on a Unix socket, in PostgreSQL's protocol. Messages that arrive together are executed in
 * one call, and their results are sent in one write, because calls and writes cost more than most statements. Returns a
 * function that closes the socket. Calls `panicked` with PostgreSQL's message if the database can execute nothing more
 * until it is started again.
 */
export async function serveEmbedded(
  database: PGlite,
  path: string,
  panicked: (message: string) => void,
): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>()
  const turns = new Turns(database, panicked)
  const server = createServer((socket) => {
    const messages = new FrontendMessages()
    sockets.add(socket)
    socket.on('data', (bytes) => {
      for (const group of messages.add(bytes)) turns.take(socket, group)
      if (messages.isOver) socket.end()
    })
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      sockets.delete(socket)
      turns.leave(socket)
    })
  })
  server.maxConnections = CONNECTIONS_MAX
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  return async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }
}

interface Turn {
  socket: Socket
  group: MessageGroup
}

/** The embedded database has one session. A connection keeps it until its statement and its transaction have ended. */
class Turns {
  readonly #database: PGlite
  #waiting: Turn[] = []
  #holder: Socket | undefined
  #isRunning = false

  readonly #panicked: (message: string) => void

  constructor(database: PGlite, panicked: (message: string) => void) {
    this.#database = database
    this.#panicked = panicked
  }

  /** Executes messages when it is the connection's turn, and sends it the results. */
  take(socket: Socket, group: MessageGroup): void {
    this.#waiting.push({ socket, group })
    void this.#runAll()
  }

  /** Ends the statement and the transaction that a closed connection has left open. */
  leave(socket: Socket): void {
    this.#waiting = this.#waiting.filter((turn) => turn.socket !== socket)
    if (this.#holder === socket) this.take(socket, RESET)
  }

  async #runAll(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    for (let turn = this.#next(); turn; turn = this.#next()) await this.#run(turn)
    this.#isRunning = false
  }

  #next(): Turn | undefined {
    const holder = this.#holder
    const index = holder ? this.#waiting.findIndex(({ socket }) => socket === holder) : 0
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0]
  }

  async #run({ socket, group }: Turn): Promise<void> {
    this.#holder = socket
    try {
      const results = await this.#database.runExclusive(() => this.#database.execProtocolRaw(group.bytes))
      const bytes = Buffer.from(results)
      if (socket.writable) socket.write(bytes)
      if (bytes.includes(PANIC)) this.#panicked(messageOf(bytes))
      if (group.isComplete && !this.#database.isInTransaction()) this.#holder = undefined
    } catch {
      this.#holder = undefined
      socket.destroy()
    }
  }
}

/**
 * Fields of an error after which PostgreSQL ends its process. The embedded one goes on, and answers nothing. No row has
 * these bytes, because text has no zero bytes.
 */
const PANIC = Buffer.from('SPANIC\0VPANIC\0', 'latin1')

/** Returns the message field of an error in the results. */
const messageOf = (results: Buffer): string =>
  /\0M([^\0]*)/.exec(results.subarray(results.indexOf(PANIC)).toString())?.[1] ?? ''

/** A Sync message, and the query `rollback`. */
const RESET: MessageGroup = {
  bytes: Buffer.from('S\0\0\0\x04Q\0\0\0\x0drollback\0', 'latin1'),
  isComplete: true,
}
