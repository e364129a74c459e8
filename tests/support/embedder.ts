import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Client, Person } from './client.ts'

export interface EmbedderBody {
  input: string | string[]
  encoding_format?: string
}

/** The body of Google's format, for one text or for several. */
interface GoogleBody {
  content?: { parts: { text: string }[] }
  requests?: { content: { parts: { text: string }[] } }[]
}

interface EmbedderResult {
  index: number
  embedding: number[]
}

/** An embedding provider on loopback in the formats of OpenAI and Google, controlled by the test. */
export interface Embedder {
  url: string
  /** All embedded texts, in the order of arrival. */
  texts: string[]
  dimensions: number
  /** Returns an error response or its HTTP status, or undefined to accept the request. */
  refuse: (texts: string[], body: EmbedderBody) => number | { status: number; body: unknown } | undefined
  /** Changes the results of a response. */
  change: (data: EmbedderResult[]) => unknown[]
  /** Number of texts of each request, in the order of arrival. */
  sizes: number[]
  /** Responses are sent only after this promise resolves. */
  gate: Promise<unknown>
  close(): Promise<void>
}

export async function startEmbedder(): Promise<Embedder> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const isGoogle = /embedcontents?$/i.test(request.url ?? '')
    const asked: EmbedderBody = isGoogle ? { input: textsOf(JSON.parse(body)) } : JSON.parse(body)
    const texts = [asked.input].flat()
    embedder.texts.push(...texts)
    embedder.sizes.push(texts.length)
    await embedder.gate
    const refused = embedder.refuse(texts, asked)
    const status = typeof refused === 'number' ? refused : (refused?.status ?? 200)
    const reason =
      typeof refused === 'object' ? refused.body : { error: { message: `Refused with ${status}` } }
    const data = texts.map((text, index) => ({ index, embedding: vectorOf(text, embedder.dimensions) }))
    const usage = { prompt_tokens: texts.length, total_tokens: texts.length }
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' })
    const embeddings = data.map(({ embedding }) => ({ values: embedding }))
    const google = embeddings.length > 1 ? { embeddings } : { embedding: embeddings[0] }
    const answer = isGoogle ? google : { data: embedder.change(data), usage }
    response.end(JSON.stringify(refused === undefined ? answer : reason))
  })
  const embedder: Embedder = {
    url: '',
    texts: [],
    dimensions: 4,
    refuse: () => undefined,
    change: (data) => data,
    sizes: [],
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

const textsOf = ({ content, requests = [] }: GoogleBody): string[] =>
  [...(content ? [{ content }] : requests)].map(({ content: { parts } }) =>
    parts.map(({ text }) => text).join(''),
  )

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
