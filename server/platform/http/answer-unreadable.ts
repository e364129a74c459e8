import { maxHeaderSize, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { newId } from '#database/new-id.ts'
import { type AppError, fail, sentence } from '#errors'
import { answerTo } from './send-error.ts'

/** An error of Node's HTTP parser. */
interface UnreadableRequest extends Error {
  code: string
  /**
   * The data that the parser refused, usually the whole request. Declared as unknown, because Fastify gives it
   * another type.
   */
  rawPacket: unknown
}

/**
 * Responds to data that could not be parsed as a request: not HTTP, too slow, or with oversized headers. Uses the
 * error format of the request's path if the path is readable. Then closes the connection.
 */
export function answerUnreadable(
  error: UnreadableRequest,
  socket: Socket,
  headers: Record<string, string>,
): void {
  // After a reset no response can be sent.
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
