import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { joinSockets } from './join-sockets.ts'

export interface SentStatement {
  text: string
  /** Bytes of the parameters. Excludes the SQL text, which is sent only once per connection. */
  parameterBytes: number
}

export interface WireProxy {
  /** The URL of the database through the proxy. */
  url: string
  /** Returns the statements sent since the previous call. */
  take(): SentStatement[]
  close(): Promise<void>
}

/**
 * Starts a proxy in front of PostgreSQL that records the statements of its clients (PostgreSQL documentation, chapter
 * 54).
 */
export async function startWireProxy(databaseUrl: string): Promise<WireProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let sent: SentStatement[] = []
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const reader = new FrontendReader((statement) => sent.push(statement))
    client.on('data', (chunk: Buffer) => reader.read(chunk))
    joinSockets(client, upstream, sockets)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    take() {
      const taken = sent
      sent = []
      return taken
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Parses the messages of one client. The first message has no type; all others have a type and a length. */
class FrontendReader {
  readonly #found: (statement: SentStatement) => void
  readonly #prepared = new Map<string, string>()
  #rest: Buffer = Buffer.alloc(0)
  #hasStarted = false

  constructor(found: (statement: SentStatement) => void) {
    this.#found = found
  }

  read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk])
    for (;;) {
      const head = this.#hasStarted ? 1 : 0
      if (this.#rest.length < head + 4) return
      const end = head + this.#rest.readUInt32BE(head)
      if (this.#rest.length < end) return
      if (this.#hasStarted)
        this.#readMessage(this.#rest.toString('latin1', 0, 1), this.#rest.subarray(5, end))
      this.#hasStarted = true
      this.#rest = this.#rest.subarray(end)
    }
  }

  #readMessage(type: string, body: Buffer): void {
    if (type === 'Q') this.#found({ text: stringAt(body, 0), parameterBytes: 0 })
    if (type === 'P') {
      const name = stringAt(body, 0)
      this.#prepared.set(name, stringAt(body, Buffer.byteLength(name) + 1))
    }
    if (type === 'B') {
      const portal = stringAt(body, 0)
      const name = stringAt(body, portal.length + 1)
      const afterNames = portal.length + name.length + 2
      const text = this.#prepared.get(name) ?? ''
      this.#found({ text, parameterBytes: bytesOfParameters(body, afterNames) })
    }
  }
}

const stringAt = (body: Buffer, start: number): string => body.toString('utf8', start, body.indexOf(0, start))

const NULL_LENGTH = -1

/**
 * Adds up the lengths of a Bind message's parameters. `start` is the offset after the portal and statement names. The
 * message continues with a count of formats, two bytes per format, a count of values, and each value after its
 * length.
 */
function bytesOfParameters(body: Buffer, start: number): number {
  let at = start + 2 + 2 * body.readUInt16BE(start)
  let left = body.readUInt16BE(at)
  at += 2
  let bytes = 0
  for (; left > 0; left--) {
    const length = body.readInt32BE(at)
    at += 4 + Math.max(0, length)
    if (length !== NULL_LENGTH) bytes += length
  }
  return bytes
}
