import { createServer, type Server as HttpServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import {
  type AuthorizationCounts,
  type AuthorizationFaults,
  type AuthorizationOptions,
  AuthorizationServer,
} from './authorization-server.ts'

export interface AuthorizedTool {
  name: string
  description: string
  inputSchema: { type: 'object'; [key: string]: unknown }
  /** The scope that calls of the tool require. Calls with a token that lacks it get 403 insufficient_scope. */
  scope?: string
  run(input: Record<string, unknown>): unknown
}

export interface AuthorizedMcpServer {
  /** The MCP server's URL, with the path /mcp. */
  url: string
  issuer: string
  /** Faults of the MCP server and of its authorization server. Tests can change them while the servers run. */
  faults: AuthorizationFaults & {
    /**
     * Replaces the protected resource metadata (RFC 9728). If the function returns null, the server responds with
     * 404.
     */
    changeResource?: (metadata: Record<string, unknown>) => unknown
    /** Response body that is sent instead of the resource metadata. */
    resourceText?: string
    /** The WWW-Authenticate header of 401 responses. Null omits the header. */
    challenge?: string | null
    /** Returns the caller's token in a protocol error, in a result, or in a response with status 500. */
    echoToken?: 'error' | 'result' | 'status'
  }
  counts: AuthorizationCounts & {
    /** Number of MCP requests with a valid token. */
    calls: number
    /** Number of requests that received 401. */
    unauthorized: number
  }
  /** Requests to the endpoints of the authorization server, oldest first. */
  asked: AuthorizationServer['asked']
  /** Paths of all requests to the MCP server and to the authorization server. */
  paths: string[]
  /** Expires all access tokens. Refresh tokens stay valid. */
  endAccessTokens(): void
  /** Acts as a user in a browser: opens the URL, and grants or denies access. Returns the redirect URL. */
  consent(url: string, says?: 'yes' | 'no'): Promise<string>
  close(): Promise<void>
}

const TOOLS: AuthorizedTool[] = [
  {
    name: 'echo',
    description: 'Repeats its input',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    run: ({ text }) => String(text),
  },
]

/**
 * Starts an MCP server on loopback that requires an access token, and an authorization server on another port. The
 * authorization server registers clients, checks PKCE and the resource, and rotates refresh tokens. Reusing a refresh
 * token revokes its grant.
 */
export async function startAuthorizedMcpServer(
  options: Partial<AuthorizationOptions> & { tools?: AuthorizedTool[] } = {},
): Promise<AuthorizedMcpServer> {
  const { tools = TOOLS, ...given } = options
  const settings: AuthorizationOptions = {
    issuerPath: '',
    isOpenid: false,
    ttlSeconds: 3_600,
    rotating: true,
    refreshTokens: true,
    registration: true,
    clients: [],
    clientDocuments: null,
    authMethod: 'none',
    scopes: ['tools:use'],
    ...given,
  }
  const faults: AuthorizedMcpServer['faults'] = {}
  const paths: string[] = []
  const resourceHttp = createServer()
  const authorizationHttp = createServer()
  await Promise.all([resourceHttp, authorizationHttp].map(listen))
  const url = `${originOf(resourceHttp)}/mcp`
  const authorization = new AuthorizationServer(
    () => originOf(authorizationHttp),
    () => url,
    settings,
    faults,
  )
  const counts = Object.assign(authorization.counts, { calls: 0, unauthorized: 0 })
  const metadataUrl = `${originOf(resourceHttp)}/.well-known/oauth-protected-resource/mcp`
  const handler = createMcpHandler(() => createToolServer(tools))

  authorizationHttp.on('request', async (request, response) => {
    paths.push(request.url ?? '')
    await authorization.answer(request, response, await readBody(request))
  })
  resourceHttp.on('request', async (request, response) => {
    paths.push(request.url ?? '')
    const json = (status: number, body: unknown, headers: Record<string, string> = {}): void =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body))
    const body = await readBody(request)
    if (request.url === new URL(metadataUrl).pathname) {
      const metadata = {
        resource: url,
        authorization_servers: [authorization.issuer],
        scopes_supported: settings.scopes,
      }
      if (faults.resourceText) return void response.end(faults.resourceText)
      const said = faults.changeResource ? faults.changeResource(metadata) : metadata
      return json(said === null ? 404 : 200, said)
    }
    if (request.url?.split('?')[0] !== '/mcp') return json(404, {})
    const scopes = authorization.scopesOf(request.headers.authorization?.replace(/^Bearer /, '') ?? '')
    if (scopes === null) {
      counts.unauthorized++
      const { challenge = `Bearer resource_metadata="${metadataUrl}"` } = faults
      return json(
        401,
        { error: 'invalid_token' },
        challenge === null ? {} : { 'www-authenticate': challenge },
      )
    }
    const needed = neededScope(tools, body)
    if (needed !== undefined && !scopes.includes(needed)) {
      const challenge = `Bearer error="insufficient_scope", scope="${needed}", resource_metadata="${metadataUrl}"`
      return json(403, { error: 'insufficient_scope' }, { 'www-authenticate': challenge })
    }
    counts.calls++
    const { method, id } = body === '' ? {} : JSON.parse(body)
    if (faults.echoToken && method === 'tools/call') {
      const said = `invalid token: ${request.headers.authorization}`
      if (faults.echoToken === 'status') return json(500, { error: said })
      const outcome =
        faults.echoToken === 'error'
          ? { error: { code: -32_000, message: said } }
          : { result: { content: [{ type: 'text', text: said }], isError: true } }
      return json(200, { jsonrpc: '2.0', id, ...outcome })
    }
    const answer = await handler.fetch(asFetchRequest(request, body, url))
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    if (answer.body === null) return void response.end()
    await pipeline(Readable.fromWeb(answer.body as never), response).catch(() => response.destroy())
  })

  return {
    url,
    issuer: authorization.issuer,
    faults,
    counts,
    asked: authorization.asked,
    paths,
    endAccessTokens: () => authorization.endAccessTokens(),
    async consent(address, says = 'yes') {
      const answer = await fetch(address, { redirect: 'manual', headers: { 'x-person-says': says } })
      const location = answer.headers.get('location')
      if (location === null)
        throw new Error(`The authorization server sent nobody back: ${await answer.text()}`)
      return location
    },
    async close() {
      await handler.close()
      await Promise.all([resourceHttp, authorizationHttp].map(stop))
    },
  }
}

function createToolServer(tools: AuthorizedTool[]): Server {
  const server = new Server({ name: 'authorized', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', async () => ({
    tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name)
    if (!tool)
      return { content: [{ type: 'text' as const, text: `There is no ${params.name}.` }], isError: true }
    const said = await tool.run(params.arguments ?? {})
    const text = typeof said === 'string' ? said : JSON.stringify(said)
    return { content: [{ type: 'text' as const, text }] }
  })
  return server
}

function neededScope(tools: AuthorizedTool[], body: string): string | undefined {
  if (body === '') return undefined
  const { method, params } = JSON.parse(body) as { method?: string; params?: { name?: string } }
  return method === 'tools/call' ? tools.find(({ name }) => name === params?.name)?.scope : undefined
}

const asFetchRequest = (request: IncomingMessage, body: string, url: string): Request =>
  new Request(url, {
    method: request.method ?? 'POST',
    headers: Object.entries(request.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    ),
    body: body === '' ? null : body,
  })

async function readBody(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  return body
}

const listen = (server: HttpServer): Promise<void> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))

const stop = (server: HttpServer): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

const originOf = (server: HttpServer): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
