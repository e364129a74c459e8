import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A server whose responses are written by the test byte by byte, to emulate providers that send invalid responses.
 */
export interface ScriptedServer {
  url: string
  /** Handles all requests. Tests can replace it. */
  answer: (response: ServerResponse) => void
  /** Numbers of accepted connections and of connections that are still open. */
  connections: { made: number; open: number }
  close(): Promise<void>
}

export async function startScripted(): Promise<ScriptedServer> {
  const connections = { made: 0, open: 0 }
  const server = createServer((request, response) => {
    request.resume().on('end', () => scripted.answer(response))
  })
  server.on('connection', (socket) => {
    connections.made += 1
    connections.open += 1
    socket.on('close', () => {
      connections.open -= 1
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const scripted: ScriptedServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (response) => response.end(),
    connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return scripted
}

/** Returns a handler that sends an event stream in exactly these chunks, one after another. */
export const playEvents =
  (...pieces: (string | Buffer)[]) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (index: number): void => {
      if (index === pieces.length) return void response.end()
      response.write(pieces[index] ?? '')
      setImmediate(send, index + 1)
    }
    send(0)
  }

/** Encodes a value as a server-sent event. */
export const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
