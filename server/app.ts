import type { IncomingMessage } from 'node:http'
import cors from '@fastify/cors'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { newId } from '#database/new-id.ts'
import { fail } from '#errors'
import { createAgentDeploy, registerWidget } from '#parts/agent-deploy/index.ts'
import { type Agents, createAgents } from '#parts/agents/index.ts'
import { apiKeyRoutes } from '#parts/api-keys/index.ts'
import { auditRoutes } from '#parts/audit/index.ts'
import { authRoutes } from '#parts/auth/index.ts'
import { billingRoutes } from '#parts/billing/index.ts'
import { type Chat, createChat, type Retriever } from '#parts/chat/index.ts'
import { conversationRoutes } from '#parts/conversation/index.ts'
import { instructionRoutes } from '#parts/instructions/index.ts'
import { invitationRoutes } from '#parts/invitations/index.ts'
import { createKnowledgeBases, type KnowledgeBases } from '#parts/kb/index.ts'
import { llmRoutes, ModelFinder, PaidCalls } from '#parts/llm/index.ts'
import { createMcp, type Mcp, registerGateway } from '#parts/mcp/index.ts'
import { playgroundRoutes } from '#parts/mcp-playground/index.ts'
import { createMcpServer, type McpServer, registerMcpServer } from '#parts/mcp-server/index.ts'
import { openAiRoutes } from '#parts/openai/index.ts'
import { orgRoutes } from '#parts/org/index.ts'
import { roleRoutes } from '#parts/roles/index.ts'
import { createTools } from '#parts/tools/index.ts'
import { userRoutes } from '#parts/users/index.ts'
import { registerLiveSockets } from '#platform/events/register-live-sockets.ts'
import type { Route } from '#platform/http/define-route.ts'
import { registerDocs } from '#platform/http/docs.ts'
import { sendError } from '#platform/http/errors.ts'
import { parseJsonBody } from '#platform/http/json-body.ts'
import { describeApi } from '#platform/http/openapi.ts'
import { registerRoutes } from '#platform/http/register-routes.ts'
import { compileValidator } from '#platform/http/validation.ts'
import { registerDevMail } from '#platform/mail/dev-mail.ts'
import type { Rooms } from '#platform/rooms.ts'
import { registerFiles } from '#platform/storage/serve-files.ts'
import { registerHealth } from '#platform/telemetry/health.ts'

/** The largest JSON body that is read. */
const BODY_BYTES_MAX = 4 * 1024 * 1024
const URL_BYTES_MAX = 16 * 1024
/** How long a client may take to send a request, head and body: a file takes its time on a slow line. */
const REQUEST_TIMEOUT_MS = 600_000
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-Chat-Id',
  'X-Session-Id',
  'X-Message-Id',
  'Retry-After',
  'Mcp-Session-Id',
]

export interface App {
  http: FastifyInstance
  chat: Chat
  knowledge: KnowledgeBases
  mcp: Mcp
  mcpServer: McpServer
}

/** What a part has from elsewhere, where that is to be something else than usual. */
export interface Doors {
  retriever?: Retriever
  agents?: Pick<Agents, 'find' | 'retrieve'>
}

/** The application: every option and every part. It does not listen, so tests use the same one. */
export async function buildApp(rooms: Rooms, doors: Doors = {}): Promise<App> {
  const models = new ModelFinder(rooms)
  const calls = new PaidCalls(rooms)
  const knowledge = createKnowledgeBases(rooms, models, calls)
  const mcp = createMcp(rooms)
  const tools = createTools(rooms)
  const agents = createAgents(rooms, models, knowledge, tools, mcp)
  const chat = createChat(
    rooms,
    models,
    calls,
    doors.retriever ?? knowledge.retriever,
    doors.agents ?? agents,
  )
  const agentDeploy = createAgentDeploy(rooms, chat.deployments)
  const mcpServer = createMcpServer(rooms, { agents, knowledge, calls })
  const routes: Route[] = [
    ...authRoutes(rooms),
    ...orgRoutes(rooms),
    ...userRoutes(rooms),
    ...roleRoutes(rooms),
    ...invitationRoutes(rooms),
    ...apiKeyRoutes,
    ...auditRoutes,
    ...llmRoutes(rooms),
    ...chat.routes,
    ...knowledge.routes,
    ...tools.routes,
    ...mcp.routes,
    ...agents.routes,
    ...conversationRoutes({ chats: chat.conversations, models }),
    ...agentDeploy.routes,
    ...instructionRoutes,
    ...openAiRoutes({ rooms, models, agents, calls }),
    ...billingRoutes(rooms),
    ...playgroundRoutes({ rooms, mcp, models, calls }),
  ]
  const http = createServer(rooms)
  await http.register(cors, {
    origin: rooms.config.corsOrigins,
    credentials: false,
    exposedHeaders: EXPOSED_HEADERS,
  })
  registerRoutes(http, rooms, routes)
  registerHealth(http, rooms)
  registerFiles(http, rooms.storage)
  registerWidget(http, agentDeploy)
  registerGateway(http, mcp.gateway)
  registerMcpServer(http, mcpServer)
  registerLiveSockets(http, rooms)
  if (rooms.config.devMail) registerDevMail(http, rooms.config)
  registerDocs(http, describeApi(routes))
  await http.ready()
  return { http, chat, knowledge, mcp, mcpServer }
}

function createServer({ config, log, metrics }: Rooms): FastifyInstance {
  const http = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies(config.trustProxy),
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: URL_BYTES_MAX },
    genReqId: () => newId(),
    rewriteUrl: underApi,
    frameworkErrors: (error, request, reply) => sendError(error, request, reply),
    forceCloseConnections: 'idle',
    http: { shouldUpgradeCallback: wantsWebSocket },
  })
  http.setValidatorCompiler(({ schema, httpPart }) =>
    compileValidator(schema as never, httpPart === 'body' ? 'body' : 'querystring'),
  )
  http.setSerializerCompiler(() => JSON.stringify)
  http.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  http.setNotFoundHandler((request) => {
    throw fail('request.not_found', { method: request.method, path: request.url.split('?')[0] ?? '' })
  })
  http.removeAllContentTypeParsers()
  http.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, bytes: Buffer) =>
      bytes.length === 0 ? undefined : parseJsonBody(bytes),
  )
  http.decorateRequest('enveloped', { getter: isEnveloped })
  http.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id)
    reply.raw.once('close', () => {
      const route = request.routeOptions.url ?? 'unknown'
      const status = reply.raw.statusCode
      metrics.requests.observe({ method: request.method, route, status }, reply.elapsedTime / 1000)
      request.log.info(
        { method: request.method, route, status, ms: Math.round(reply.elapsedTime) },
        'request',
      )
    })
  })
  return http
}

/** The last so many hops, or the proxies of these addresses; the hop before them is the client (contract, 12). */
const trustedProxies = (trust: Rooms['config']['trustProxy']) =>
  typeof trust === 'number' ? (_address: string, hop: number) => hop < trust : trust

/** Clients that offer HTTP/2 (`Upgrade: h2c`) get an ordinary answer, as RFC 9110, 7.8 lets a server do. */
const wantsWebSocket = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket'

/** The requests whose address began with /v1. */
const askedUnderV1 = new WeakSet<IncomingMessage>()

/** `/v1/chat/list` is `/api/chat/list` behind the envelope (contract, 1). */
function underApi(request: IncomingMessage): string {
  const url = request.url ?? '/'
  if (!url.startsWith('/v1/')) return url
  askedUnderV1.add(request)
  return `/api/${url.slice('/v1/'.length)}`
}

function isEnveloped(this: FastifyRequest): boolean {
  return askedUnderV1.has(this.raw)
}
