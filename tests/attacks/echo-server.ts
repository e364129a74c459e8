import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Place } from './secret-places.ts'

/** A server that repeats parts of the request in its responses, as careless servers do in error messages. */
export interface EchoServer {
  url: string
  /** The received requests and their headers. */
  requests: Place[]
  close(): Promise<void>
}

/**
 * Starts an echo server. The first segment of a path selects the response: a status (`/401/v1`), an error mid-stream
 * (`/event`), a broken connection (`/cut`), or a redirect to `elsewhere` (`/moved`). Requests for a list of models
 * always succeed.
 */
export async function startEchoServer(name: string, elsewhere = ''): Promise<EchoServer> {
  const requests: Place[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => '')
    const path = request.url ?? ''
    const headers = Object.entries(request.headers).map(([header, value]) => `${header}: ${value}`)
    requests.push({ name: `headers to ${name}`, text: headers.join('\n') })
    requests.push({ name: `request to ${name}`, text: `${path}\n${body}` })
    if (request.method === 'GET' && path.endsWith('/models'))
      return sendJson(response, 200, { object: 'list', data: [{ id: 'emu', object: 'model' }] })
    answer(response, path, { message: messageWithCredentials(request), elsewhere })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** Returns an error message that contains the credentials in the request's headers and URL. */
export function messageWithCredentials({ headers, url }: Pick<IncomingMessage, 'headers' | 'url'>): string {
  const proofs = ['authorization', 'x-api-key', 'x-goog-api-key', 'x-key', 'cookie']
  const shown = proofs.flatMap((name) => (headers[name] ? [`${name}: ${headers[name]}`] : []))
  const [key = ''] = shown.map((line) => line.split(' ').at(-1) ?? '')
  return `invalid key ${key} at ${url} (${shown.join(', ')})`
}

function answer(
  response: ServerResponse,
  path: string,
  { message, elsewhere }: { message: string; elsewhere: string },
): void {
  const [, how = '', ...rest] = path.split('/')
  const error = { message, type: 'invalid_request_error', param: message, code: message }
  switch (how) {
    case 'event': {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const delta = { choices: [{ index: 0, delta: { content: 'Well' } }] }
      return void response.end(
        `data: ${JSON.stringify(delta)}\n\ndata: ${JSON.stringify({ error })}\n\ndata: [DONE]\n\n`,
      )
    }
    case 'cut':
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return void response.write(`data: ${message}`, () => response.destroy())
    case 'moved':
      return void response
        .writeHead(307, { location: `${elsewhere}/${rest.join('/')}` })
        .end(JSON.stringify({ error }))
    case 'xml':
      return void response
        .writeHead(403, { 'content-type': 'application/xml' })
        .end(`<Error><Code>${message.slice(0, 200)}</Code><Message>${message}</Message></Error>`)
    case 'text':
      return void response.writeHead(400, { 'content-type': 'text/plain' }).end(message)
  }
  sendJson(response, Number(how) || 500, { error })
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
