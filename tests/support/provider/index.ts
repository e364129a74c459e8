import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Behaviour, behaviourOf, withoutFaults } from './behaviour.ts'
import { findEmbedding, playEmbedding } from './embeddings.ts'
import {
  anthropic,
  type Format,
  google,
  openAi,
  type ProviderRequest,
  type Script,
  stepNumber,
} from './formats.ts'
import { findMedia, playMedia, readForm } from './media.ts'
import { playScript } from './play-script.ts'
import { schemaFault } from './schema-faults.ts'

/** A request as received by the provider. */
export interface RecordedRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: unknown
  /** The body as it was sent. Blank for a form. */
  text: string
}

export interface EmulatedProvider {
  url: string
  port: number
  /**
   * The latest requests, oldest first. Requests for titles are in `titleRequests`, because their timing after a reply
   * varies.
   */
  requests: RecordedRequest[]
  titleRequests: RecordedRequest[]
  /** Blocks requests for titles until the returned function is called. */
  holdTitles(): () => void
  stats: { streams: number; open: number; aborted: number }
  close(): Promise<void>
}

const REQUESTS_KEPT = 200
const TITLE_PROMPT = 'Write a title for the conversation that begins as follows'

/**
 * Starts an emulated provider with optional faults on loopback. It supports OpenAI chat completions, images and
 * transcriptions; Anthropic messages; Gemini with images and transcriptions; Veo; and the embeddings of OpenAI and
 * Google.
 */
export async function startProvider({ port = 0, record = true } = {}): Promise<EmulatedProvider> {
  const requests: RecordedRequest[] = []
  const titleRequests: RecordedRequest[] = []
  let titlesHeld: Promise<void> = Promise.resolve()
  const stats = { streams: 0, open: 0, aborted: 0 }
  const refusals = new Map<string, number>()
  const server = createServer((request, response) => {
    request.socket.setNoDelay(true)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const bytes = Buffer.concat(chunks)
      const { method = '', url: path = '', headers } = request
      const isForm = headers['content-type']?.startsWith('multipart/') === true
      const text = isForm ? '' : bytes.toString()
      const body = isForm ? await readForm(headers, bytes) : text === '' ? undefined : JSON.parse(text)
      const isTitle = text.includes(TITLE_PROMPT)
      if (record) {
        const list = isTitle ? titleRequests : requests
        list.push({ method, path, headers, body, text })
        if (list.length > REQUESTS_KEPT) list.shift()
      }
      if (isTitle) await titlesHeld
      if (path.split('?')[0]?.endsWith('/models')) return sendModels(path, response)
      const media = findMedia(path, body)
      if (media) {
        const behaviour = behaviourOf(media.model)
        if (!refuse(media, behaviour, response, refusals))
          playMedia(request, response, media, behaviour, stats)
        return
      }
      const embedding = findEmbedding(path, body)
      if (embedding) {
        const behaviour = behaviourOf(embedding.model)
        if (!refuse(embedding, behaviour, response, refusals))
          playEmbedding(response, embedding, behaviour, stats)
        return
      }
      const found = route(path, body)
      if (!found) return sendJson(response, 404, { error: { message: `Invalid URL (${method} ${path})` } })
      const named = behaviourOf(found.model)
      const isSpared = named.step > 0 && named.step !== stepNumber(body)
      const behaviour = isSpared ? withoutFaults(named) : named
      if (behaviour.fault === 'strict' && refuseTools(body, response)) return
      if (!refuse(found, behaviour, response, refusals))
        playScript(response, behaviour, () => scriptFor(found, body, behaviour, text), stats)
    })
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', 4_096, resolve))
  const address = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    requests,
    titleRequests,
    holdTitles() {
      const { promise, resolve } = Promise.withResolvers<void>()
      titlesHeld = promise
      return resolve
    },
    stats,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Found {
  format: Format
  model: string
}

const scripts = new Map<string, Script>()
const SCRIPTS_KEPT = 1_000

/**
 * Returns the script of a reply. Caches scripts of plain text, so that under load the emulator uses less CPU than the
 * code under test.
 */
function scriptFor(
  { format, model }: Found,
  body: ProviderRequest,
  behaviour: Behaviour,
  text: string,
): Script {
  const inputTokens = Math.ceil(text.length / 4)
  const isPlain = !behaviour.echo && !/say: |TOOL:/.test(text)
  const key = `${FORMATS.indexOf(format)} ${model} ${inputTokens} ${body.stream_options?.include_usage}`
  const known = isPlain ? scripts.get(key) : undefined
  if (known) return known
  const script = format.script(model, body, behaviour, inputTokens)
  if (isPlain && scripts.size < SCRIPTS_KEPT) scripts.set(key, script)
  return script
}

const FORMATS = [openAi, anthropic, google]

function route(path: string, body: (ProviderRequest & { model?: string }) | undefined): Found | undefined {
  if (path.endsWith('/chat/completions')) return { format: openAi, model: body?.model ?? '' }
  if (path.endsWith('/v1/messages')) return { format: anthropic, model: body?.model ?? '' }
  const model = /\/models\/([^/:]+):streamGenerateContent\?alt=sse$/.exec(path)?.[1]
  return model === undefined ? undefined : { format: google, model: decodeURIComponent(model) }
}

/** Sends an error response if the behavior requires one. Returns true if a response was sent. */
function refuse(
  { format, model }: Found,
  behaviour: Behaviour,
  response: ServerResponse,
  refusals: Map<string, number>,
): boolean {
  const refused = refusals.get(model) ?? 0
  if (refused < behaviour.retries) {
    refusals.set(model, refused + 1)
    sendJson(response, 429, format.error(429), { 'retry-after': '0' })
  } else if (behaviour.status !== undefined)
    sendJson(response, behaviour.status, format.error(behaviour.status))
  else if (behaviour.fault === 'html') {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end('<!doctype html><title>Welcome to nginx!</title>')
  } else if (behaviour.fault === 'redirect') {
    response.writeHead(302, { location: 'http://127.0.0.1:1/' })
    response.end()
  } else return false
  return true
}

/** Refuses a request as providers do if the schema of one of its tools breaks their rules. */
function refuseTools({ tools = [] }: ProviderRequest, response: ServerResponse): boolean {
  const schemas = tools.flatMap(({ functionDeclarations, function: defined, input_schema }) =>
    functionDeclarations
      ? functionDeclarations.map(({ parametersJsonSchema }) => parametersJsonSchema)
      : [defined?.parameters ?? input_schema],
  )
  const fault = schemas.map(schemaFault).find((one) => one !== null)
  if (fault === undefined) return false
  sendJson(response, 400, { error: { message: `Invalid schema: ${fault}`, type: 'invalid_request_error' } })
  return true
}

function sendModels(path: string, response: ServerResponse): void {
  const ids = ['emu-n5', 'emu-n200', 'gpt-4o']
  if (!path.includes('/v1beta/'))
    return sendJson(response, 200, { object: 'list', data: ids.map((id) => ({ id, object: 'model' })) })
  const models = ids.map((id) => ({
    name: `models/${id}`,
    inputTokenLimit: 1000,
    supportedGenerationMethods: ['generateContent'],
  }))
  const others = [
    { name: 'models/veo-emu', supportedGenerationMethods: ['predictLongRunning'] },
    { name: 'models/imagen-emu', supportedGenerationMethods: ['predict'] },
  ]
  sendJson(response, 200, { models: [...models, ...others] })
}

function sendJson(
  response: ServerResponse,
  status: number,
  value: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(value))
}
