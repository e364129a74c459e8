import type { IncomingMessage } from 'node:http'
import cors from '@fastify/cors'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { newId } from '#database/new-id.ts'
import { fail } from '#errors'
import { createAgentDeploy, registerWidget } from '#parts/agent-deploy/index.ts'
import { type Agents, createAgents } from '#parts/agents/index.ts'
import { anthropicRoutes } from '#parts/anthropic/index.ts'
import { apiKeyRoutes } from '#parts/api-keys/index.ts'
import { auditRoutes } from '#parts/audit/index.ts'
import { authRoutes } from '#parts/auth/index.ts'
import { billingRoutes } from '#parts/billing/index.ts'
import { type Chat, createChat, type Retriever } from '#parts/chat/index.ts'
import { type Console, type ConsoleSource, createConsole, registerConsole } from '#parts/console/index.ts'
import { conversationRoutes } from '#parts/conversation/index.ts'
import { createDataRights, type DataRights } from '#parts/data-rights/index.ts'
import { installationRoutes } from '#parts/installation/index.ts'
import { instructionRoutes } from '#parts/instructions/index.ts'
import { invitationRoutes } from '#parts/invitations/index.ts'
import { createKnowledgeBases, type KnowledgeBases } from '#parts/kb/index.ts'
import { connectionRoutes, defaultRoutes, llmRoutes, ModelFinder, PaidCalls } from '#parts/llm/index.ts'
import { createMcp, type Mcp, registerGateway } from '#parts/mcp/index.ts'
import { createMemory, playgroundRoutes } from '#parts/mcp-playground/index.ts'
import { createMcpServer, type McpServer, registerMcpServer } from '#parts/mcp-server/index.ts'
import { openAiRoutes, responseSocket } from '#parts/openai/index.ts'
import { orgRoutes } from '#parts/org/index.ts'
import { roleRoutes } from '#parts/roles/index.ts'
import { createTools } from '#parts/tools/index.ts'
import { userRoutes } from '#parts/users/index.ts'
import { createWebhooks, type DeliveryTimes, describeEvents, type Webhooks } from '#parts/webhooks/index.ts'
import { registerLiveSockets } from '#platform/events/register-live-sockets.ts'
import { IDEMPOTENT_REPLAYED } from '#platform/http/answer-once.ts'
import { answerUnreadable } from '#platform/http/answer-unreadable.ts'
import { PUBLIC_BODY } from '#platform/http/body-limits.ts'
import { createAddressOf } from '#platform/http/client-address.ts'
import type { Route } from '#platform/http/define-route.ts'
import { registerDocs } from '#platform/http/docs.ts'
import { presentAddress } from '#platform/http/earlier-addresses.ts'
import { endStalledReaders, STALL_MS } from '#platform/http/end-stalled.ts'
import { isUnderV1, underApi, V1_FORM } from '#platform/http/envelope.ts'
import { parseJsonBody } from '#platform/http/json-body.ts'
import {
  type CountRequest,
  countRequests,
  createCountRequest,
  RATE_HEADERS,
  refuseBeyondLimits,
} from '#platform/http/limit-requests.ts'
import { describeApi } from '#platform/http/openapi.ts'
import { protectAnswers, protectionHeaders } from '#platform/http/protect-answers.ts'
import { registerRoutes } from '#platform/http/register-routes.ts'
import { registerSockets } from '#platform/http/register-sockets.ts'
import { sendError } from '#platform/http/send-error.ts'
import { compileValidator } from '#platform/http/validation.ts'
import { WebSockets } from '#platform/http/web-sockets.ts'
import { registerDevMail } from '#platform/mail/dev-mail.ts'
import type { ModelTimeouts } from '#platform/models/types.ts'
import type { SandboxBounds } from '#platform/sandbox/sandbox.ts'
import type { Passwords } from '#platform/secrets/passwords.ts'
import type { Services } from '#platform/services.ts'
import { registerFiles } from '#platform/storage/serve-files.ts'
import { registerHealth } from '#platform/telemetry/health.ts'
import { within } from '#platform/telemetry/running.ts'
import { traceHandlers, watchRequests } from '#platform/telemetry/watch-requests.ts'

/** @limit URL of a request */
const URL_BYTES_MAX = 16 * 1024
/** Timeout for receiving a whole request. Long enough for a large upload on a slow connection. */
const REQUEST_TIMEOUT_MS = 600_000
/** DELETE is not one of them, because it frees space. */
const WRITING_METHODS = ['POST', 'PUT', 'PATCH']
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-Chat-Id',
  'X-Session-Id',
  'X-Message-Id',
  'Retry-After',
  ...RATE_HEADERS,
  'Mcp-Session-Id',
  IDEMPOTENT_REPLAYED,
]

export interface App {
  http: FastifyInstance
  chat: Chat
  knowledge: KnowledgeBases
  mcp: Mcp
  mcpServer: McpServer
  webhooks: Webhooks
  dataRights: DataRights
  console: Console
}

/** Replaces dependencies of the application, for tests and for commands. */
export interface Overrides {
  retriever?: Retriever
  agents?: Pick<Agents, 'find' | 'openTools' | 'retrieve'>
  webhookTimes?: Partial<DeliveryTimes>
  console?: ConsoleSource
  passwords?: Passwords
  modelTimeouts?: ModelTimeouts
  connectionsMax?: number
  sandboxBounds?: SandboxBounds
  stallMs?: number
  streamsGraceMs?: number
  /** Routes to add to those of the parts. */
  routes?: readonly Route[]
}

/**
 * Builds the application from all parts, without listening. Servers and tests use the same application. For a worker,
 * its only addresses are those of probes.
 */
export async function buildApp(services: Services, overrides: Overrides = {}): Promise<App> {
  const models = new ModelFinder(services)
  const calls = new PaidCalls(services)
  const knowledge = createKnowledgeBases(services, models, calls)
  const mcp = createMcp(services)
  const tools = createTools(services)
  const agents = createAgents(services, models, knowledge, tools, mcp)
  const chat = createChat(
    services,
    models,
    calls,
    overrides.retriever ?? knowledge.retriever,
    overrides.agents ?? agents,
  )
  const agentDeploy = createAgentDeploy(services, chat.deployments)
  const memory = createMemory(services)
  const dataRights = createDataRights(services, { mcp, memory })
  const mcpServer = createMcpServer(services, { agents, knowledge, calls })
  const openAi = { services, models, agents, calls }
  const webhooks = createWebhooks(services, overrides.webhookTimes)
  const console = createConsole(services, overrides.console)
  const routes: Route[] = [
    ...authRoutes(services),
    ...orgRoutes(services),
    ...userRoutes(services),
    ...roleRoutes(services),
    ...invitationRoutes(services),
    ...apiKeyRoutes,
    ...auditRoutes,
    ...llmRoutes(services, models),
    ...connectionRoutes(services),
    ...defaultRoutes(models),
    ...chat.routes,
    ...knowledge.routes,
    ...tools.routes,
    ...mcp.routes,
    ...agents.routes,
    ...conversationRoutes({ chats: chat.conversations, models }),
    ...agentDeploy.routes,
    ...instructionRoutes,
    ...installationRoutes(services),
    ...openAiRoutes(openAi),
    ...anthropicRoutes(openAi),
    ...billingRoutes(services),
    ...playgroundRoutes({ services, mcp, models, calls, memory }),
    ...webhooks.routes,
    ...dataRights.routes,
    ...(overrides.routes ?? []),
  ]
  const sockets = [responseSocket(openAi)]
  const count = createCountRequest(services, createAddressOf(services.config.trustProxy))
  const http = await createServer(services, count)
  const deps = { ...services, stallMs: overrides.stallMs ?? STALL_MS }
  endStalledReaders(http, deps.stallMs)
  registerHealth(http, services)
  if (services.config.role !== 'worker') {
    registerRoutes(http, deps, services.tracing ? traceHandlers(routes, services.tracing) : routes, sockets)
    registerFiles(http, services)
    registerWidget(http, agentDeploy)
    registerGateway(http, mcp.gateway)
    registerMcpServer(http, mcpServer)
    const webSockets = new WebSockets(http)
    registerLiveSockets(http, webSockets, services)
    registerSockets(http, webSockets, { ...services, count }, sockets)
    if (services.config.devMail) registerDevMail(http, services.config)
    registerDocs(
      http,
      () => describeApi(routes, describeEvents()),
      () => describeApi(routes, describeEvents(), V1_FORM),
    )
    registerConsole(http, console, services.config)
  }
  await http.ready()
  return { http, chat, knowledge, mcp, mcpServer, webhooks, dataRights, console }
}

/** Creates the HTTP server with everything that applies to all routes. */
async function createServer({ log, ...services }: Services, count: CountRequest): Promise<FastifyInstance> {
  const protection = protectionHeaders(services.config)
  const http = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: PUBLIC_BODY.bytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: URL_BYTES_MAX },
    genReqId: () => newId(),
    rewriteUrl: ({ method = '', url = '/' }) => presentAddress(method, underApi(url)),
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, protection),
    frameworkErrors: (error, request, reply) =>
      answerUnrouted(count, error, request, reply.headers(protection)),
    forceCloseConnections: 'idle',
    http: { shouldUpgradeCallback: wantsWebSocket },
  })
  http.setValidatorCompiler(({ schema, httpPart }) =>
    compileValidator(schema as never, httpPart === 'body' ? 'body' : 'querystring'),
  )
  http.setSerializerCompiler(() => JSON.stringify)
  http.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  http.setNotFoundHandler((request) => {
    throw fail('request.not_found', { method: request.method, path: request.originalUrl.split('?')[0] ?? '' })
  })
  http.removeAllContentTypeParsers()
  http.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async ({ routeOptions: { config }, work }: FastifyRequest, bytes: Buffer) => {
      if (bytes.length === 0) return undefined
      const { bodyValuesMax: valuesMax = PUBLIC_BODY.values, bodyKeepsDigits: keepsDigits = false } = config
      return within(work, () => parseJsonBody(bytes, { valuesMax, keepsDigits }))
    },
  )
  http.decorateRequest('enveloped', { getter: isEnveloped })
  watchRequests(http, services)
  protectAnswers(http, services.config)
  http.addHook('onRequest', async (_request, reply) => {
    if (services.draining.isOn) reply.header('Connection', 'close')
  })
  countRequests(http, count)
  await http.register(cors, {
    origin: services.config.corsOrigins,
    credentials: false,
    exposedHeaders: EXPOSED_HEADERS,
  })
  refuseBeyondLimits(http)
  http.addHook('preValidation', async ({ method }) => {
    if (WRITING_METHODS.includes(method)) services.disks.assertWritable()
  })
  return http
}

/**
 * Sends the error response for a malformed URL. Such requests reach no hook, so this function counts them toward the
 * rate limit.
 */
async function answerUnrouted(
  count: CountRequest,
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  reply.header('X-Request-Id', request.id)
  const rateWindows = await count(request, reply)
  try {
    rateWindows.check()
    sendError(error, request, reply)
  } catch (tooMany) {
    sendError(tooMany, request, reply)
  }
}

/**
 * Upgrades only WebSocket requests. A client that offers HTTP/2 (`Upgrade: h2c`) receives an HTTP/1.1 response, as
 * RFC 9110, 7.8 permits.
 */
const wantsWebSocket = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket'

function isEnveloped(this: FastifyRequest): boolean {
  return isUnderV1(this.originalUrl)
}
