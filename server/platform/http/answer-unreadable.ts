import { maxHeaderSize, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { newId } from '#database/new-id.ts'
import { type AppError, fail, sentence } from '#errors'
import { answerTo } from './send-error.ts'

/** What Node knows of a request that its parser has given up. */
interface UnreadableRequest extends Error {
  code: string
  /** The bytes in which it did so: most often the request from its first. Fastify's types have them otherwise. */
  rawPacket: unknown
}

/**
 * Answers what never became a request, since it is no HTTP, takes too long or has a head that is too large: as every
 * error is answered, as far as the address can be read; and ends the connection.
 */
export function answerUnreadable(
  error: UnreadableRequest,
  socket: Socket,
  headers: Record<string, string>,
): void {
  // After a reset there is nobody to answer.
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  if (socket.writable) {
    const bytesOfIt = Buffer.isBuffer(error.rawPacket) ? error.rawPacket : Buffer.alloc(0)
    const [requestLine = ''] = bytesOfIt.toString('latin1').split('\r\n', 1)
    const requestId = newId()
    const { status, body } = answerTo(
      refusalOf(error, requestLine),
      requestLine.split(' ')[1] ?? '',
      requestId,
    )
    const bytes = Buffer.from(JSON.stringify(body))
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${bytes.length}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ]
    socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]))
  }
  socket.destroySoon()
}

function refusalOf({ code }: UnreadableRequest, requestLine: string): AppError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return fail(requestLine.length > maxHeaderSize ? 'request.uri_too_long' : 'request.headers_too_large')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return fail('request.timed_out')
    default:
      return fail('request.malformed', { reason: sentence('request.not_http') })
  }
}
