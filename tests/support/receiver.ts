import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

/** A message as it came over the wire. */
export interface ReceivedMessage {
  path: string
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails where it is not there
  body: any
  at: number
}

export interface Receiver {
  url: string
  /** Of all paths, in the order of their arrival. */
  messages: ReceivedMessage[]
  at(path: string): ReceivedMessage[]
  /** How a path answers; the count says how often it was asked before. Others answer 200. */
  answers: Map<string, (response: ServerResponse, count: number) => void>
  close(): Promise<void>
}

/** An HTTP server that webhooks are sent to. */
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

/** Throws where the signature is not this secret's, or its time is not now; as the reference library does. */
export const verify = (secret: string, { text, headers }: ReceivedMessage): unknown =>
  new Webhook(secret).verify(text, headers as Record<string, string>)
