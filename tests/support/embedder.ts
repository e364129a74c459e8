import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Client, Person } from './client.ts'

/** An embedding provider on loopback that uses OpenAI's format and is controlled by the test. */
export interface Embedder {
  url: string
  /** All embedded texts, in the order of arrival. */
  texts: string[]
  dimensions: number
  /** Returns the HTTP status of an error response, or undefined to accept the request. */
  refuse: (texts: string[]) => number | undefined
  /** Responses are sent only after this promise resolves. */
  gate: Promise<unknown>
  close(): Promise<void>
}

export async function startEmbedder(): Promise<Embedder> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const texts: string[] = JSON.parse(body).input
    embedder.texts.push(...texts)
    await embedder.gate
    const status = embedder.refuse(texts)
    const data = texts.map((text, index) => ({ index, embedding: vectorOf(text, embedder.dimensions) }))
    response.writeHead(status ?? 200, { 'content-type': 'application/json', 'retry-after': '0' })
    response.end(
      JSON.stringify(
        status === undefined
          ? { data, usage: { prompt_tokens: texts.length, total_tokens: texts.length } }
          : { error: { message: `Refused with ${status}` } },
      ),
    )
  })
  const embedder: Embedder = {
    url: '',
    texts: [],
    dimensions: 4,
    refuse: () => undefined,
    gate: Promise.resolve(),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  embedder.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return embedder
}

function vectorOf(text: string, dimensions: number): number[] {
  const bytes = createHash('sha256').update(text).digest()
  return Array.from({ length: dimensions }, (_, at) => (bytes[at % bytes.length] as number) - 127.5)
}

/** Adds a model that the embedder serves. Returns the model's id. */
export const addEmbedder = (
  server: Client,
  person: Person,
  { url }: Embedder,
  name = `Embedder ${crypto.randomUUID()}`,
): Promise<string> =>
  server.addModel(person, {
    name,
    provider: 'openai-compatible',
    version: 'gte-test',
    config: { base_url: url, capabilities: ['embedding'] },
  })
