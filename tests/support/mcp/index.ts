import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerSessionfully } from './sessionful.ts'
import { answerBySse } from './sse.ts'
import { answerStatelessly } from './stateless.ts'

export interface TestTool {
  name: string
  description?: string
  inputSchema?: Record<string, unknown>
  outputSchema?: Record<string, unknown>
  /** Returns a CallToolResult. If the function throws, the server sends a protocol error. */
  run(input: Record<string, unknown>, context: TestCall): unknown
}

export interface TestCall {
  /** Aborts when the client cancels the call. */
  signal: AbortSignal
  /** Sends a progress notification, if the client has requested progress. */
  progress(progress: { progress: number; total?: number; message?: string }): Promise<void>
  toolsChanged(): Promise<void>
}

export interface TestResource {
  uri: string
  name: string
  mimeType: string
  /** The content: text, or base64 of anything else. */
  text?: string
  blob?: string
}

export interface SeenRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
  /** The JSON-RPC method of the request, or '' if there is none. */
  message: string
}

export interface McpServerOptions {
  tools?: TestTool[]
  /** By default, the server has no resources. */
  resources?: TestResource[]
  /**
   * `stateless`: SDK 2 with the current and older protocol versions. `sessionful`: SDK 1 with Streamable HTTP and
   * Mcp-Session-Id. `sse`: SDK 1 with only the HTTP+SSE transport of 2024-11-05.
   */
  kind?: 'stateless' | 'sessionful' | 'sse'
  /** Number of tools per page. By default, one page contains all tools. */
  pageSize?: number
  /** Receives each request first. Returns true if it has sent a response, so that the server ignores the request. */
  before?: (request: IncomingMessage, response: ServerResponse, message: string, id: unknown) => boolean
}

export interface TestMcpServer {
  url: string
  /** The offered tools. Tests can change them while the server runs. */
  tools: TestTool[]
  /** All requests, in the order of arrival. */
  seen: SeenRequest[]
  /** Makes a sessionful server return 404 for its sessions from now on. */
  loseSessions(): void
  /** Makes a stateless server notify its subscribers that the tools have changed. */
  toolsChanged(): void
  countSockets(): Promise<number>
  cut(): void
  close(): Promise<void>
}

/** The request handler of one kind of server. */
export interface Answering {
  answer(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void>
  loseSessions(): void
  toolsChanged?(): void
  close(): Promise<void>
}

/** Starts a real MCP server on loopback, built with the official SDKs. */
export async function startMcpServer(options: McpServerOptions = {}): Promise<TestMcpServer> {
  const { kind = 'stateless', before, pageSize = Number.MAX_SAFE_INTEGER } = options
  const seen: SeenRequest[] = []
  const { tools = [echo], resources = [] } = options
  const offered = { tools, resources, pageSize }
  const answering = ANSWERING[kind](offered)
  const http = await listen(async (request, response) => {
    const body = await readBody(request)
    const message = messageOf(body)
    const { method = '', url = '', headers } = request
    seen.push({ method, path: url, headers, message })
    if (before?.(request, response, message, (body as { id?: unknown } | undefined)?.id)) return
    await answering.answer(request, response, body)
  })
  return {
    url: http.url + (kind === 'sse' ? '/sse' : '/mcp'),
    get tools() {
      return offered.tools
    },
    set tools(tools) {
      offered.tools = tools
    },
    seen,
    loseSessions: () => answering.loseSessions(),
    toolsChanged: () => answering.toolsChanged?.(),
    countSockets: http.countSockets,
    cut: http.cut,
    async close() {
      await answering.close()
      await http.close()
    },
  }
}

export interface Offered {
  tools: TestTool[]
  resources: TestResource[]
  pageSize: number
}

const ANSWERING: Record<NonNullable<McpServerOptions['kind']>, (offered: Offered) => Answering> = {
  stateless: answerStatelessly,
  sessionful: answerSessionfully,
  sse: answerBySse,
}

/** A tool that returns its input. */
export const echo: TestTool = {
  name: 'echo',
  description: 'Says what it is given',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  run: (input) => textResult(String(input['text'])),
}

export const textResult = (text: string) => ({ content: [{ type: 'text' as const, text }] })

export interface LoopbackServer {
  url: string
  countSockets(): Promise<number>
  cut(): void
  close(): Promise<void>
}

/** Starts an HTTP server on a free port of loopback. */
export async function listen(onRequest: RequestListener): Promise<LoopbackServer> {
  const http = createServer((request, response) => {
    Promise.resolve(onRequest(request, response)).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500)
      response.end(String(error))
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    countSockets: () =>
      new Promise((resolve, reject) =>
        http.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    cut: () => http.closeAllConnections(),
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  }
}

export async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

const messageOf = (body: unknown): string => {
  const { method } = (body ?? {}) as { method?: unknown }
  return typeof method === 'string' ? method : ''
}

/** Returns one page of the tool list. The cursor is the index of the page's first tool. */
export function pageOf({ tools, pageSize }: Offered, cursor: string | undefined) {
  const start = Number(cursor ?? 0)
  const end = start + pageSize
  return {
    tools: tools.slice(start, end).map(({ run: _, inputSchema, ...tool }) => ({
      ...tool,
      inputSchema: (inputSchema ?? { type: 'object' }) as { type: 'object' },
    })),
    ...(end < tools.length && { nextCursor: String(end) }),
  }
}

export function findTool({ tools }: Offered, name: string): TestTool {
  const tool = tools.find((candidate) => candidate.name === name)
  if (!tool) throw new Error(`There is no tool ${name}`)
  return tool
}

export const listResources = ({ resources }: Offered) => ({
  resources: resources.map(({ uri, name, mimeType }) => ({ uri, name, mimeType })),
})

export function readResource({ resources }: Offered, uri: string) {
  const resource = resources.find((candidate) => candidate.uri === uri)
  if (!resource) throw new Error(`There is no resource ${uri}`)
  const { mimeType, text, blob } = resource
  return { contents: [{ uri, mimeType, ...(blob === undefined ? { text: text ?? '' } : { blob }) }] }
}

/** The capabilities of a server that offers these tools and resources. */
export const capabilitiesOf = ({ resources }: Offered) => ({
  tools: { listChanged: true },
  ...(resources.length > 0 && { resources: {} }),
})
