import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A request sent over a raw socket. It may contain bytes that no HTTP client would send. */
export interface RawRequest {
  socket: Socket
  /** Waits until the server closes the connection or stops sending. Returns the status and the complete response. */
  answer(): Promise<{ status: number; text: string }>
}

/** Connects to the server and sends these bytes. */
export async function sendRaw(url: string, ...pieces: (string | Uint8Array)[]): Promise<RawRequest> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {}) // the server may reset refused connections
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  await once(socket, 'connect')
  for (const piece of pieces) socket.write(piece)
  const isComplete = (): boolean => {
    const begin = /^HTTP\/1\.1 100 [\s\S]*?\r\n\r\n/.exec(text)?.[0].length ?? 0
    const end = text.indexOf('\r\n\r\n', begin)
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
    return end >= 0 && text.length >= end + 4 + length
  }
  return {
    socket,
    async answer() {
      while (!isComplete() && !socket.closed)
        await Promise.race([once(socket, 'data'), once(socket, 'close')])
      return { status: Number(text.slice(9, 12)), text }
    },
  }
}

/** A part of a multipart form, with verbatim header lines. */
export interface Part {
  headers: string[]
  content: string | Uint8Array
}

export const BOUNDARY = 'the-boundary'

/** Encodes a multipart form (RFC 7578) without checking or escaping its headers. */
export const makeForm = (...parts: Part[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ headers, content }) => [
      Buffer.from(`--${BOUNDARY}\r\n${headers.join('\r\n')}\r\n\r\n`),
      Buffer.from(content as Uint8Array),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ])

/** Returns a file part. The file name is not escaped, even if it contains `"`. */
export const filePart = (filename: string, content: string | Uint8Array, field = 'file'): Part => ({
  headers: [`Content-Disposition: form-data; name="${field}"; filename="${filename}"`],
  content,
})
