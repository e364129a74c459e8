import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

export interface ReceivedMessage {
  path: string
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and fail if one is missing
  body: any
  at: number
}

export interface Receiver {
  url: string
  /** Messages to all paths, oldest first. */
  messages: ReceivedMessage[]
  at(path: string): ReceivedMessage[]
  /** Handlers by path. `count` is the number of earlier requests to the path. Paths without a handler return 200. */
  answers: Map<string, (response: ServerResponse, count: number) => void>
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const messages: ReceivedMessage[] = []
  const answers: Receiver['answers'] = new Map()
  const at: Receiver['at'] = (path) => messages.filter((message) => message.path === path)
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const count = at(path).length
    messages.push({ path, headers: request.headers, text, body: JSON.parse(text), at: Date.now() })
    const answer = answers.get(path)
    if (answer) answer(response, count)
    else response.end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    at,
    answers,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Verifies the signature and the timestamp of a message with the reference library. Throws if either is invalid. */
export const verify = (secret: string, { text, headers }: ReceivedMessage): unknown =>
  new Webhook(secret).verify(text, headers as Record<string, string>)
