import {
  type CallToolResult,
  createMcpHandler,
  isCallToolResult,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  SdkError,
  SdkErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import { newId } from '#database/new-id.ts'
import { AppError } from '#errors'
import { acceptBoth, formFor, inForm } from './answer-form.ts'
import { ANSWER_MS_MAX, Exchange, SESSION_HEADER } from './exchange.ts'
import { IMPLEMENTATION } from './implementation.ts'
import { McpError } from './mcp-error.ts'
import {
  InvalidParams,
  type McpServerDefinition,
  PASSED_METHODS,
  type PassedMethod,
  ResourceNotFound,
  type ServedCall,
  type ServedTool,
  type ToolPage,
} from './server-definition.ts'
import { Subscription } from './subscription.ts'

/** Maximum length of a response, in characters of JSON. A longer response becomes an error. */
const ANSWER_CHARACTERS_MAX = 8 * 1024 * 1024
/**
 * Maximum number of messages in one request. Only protocol version 2025-03-26 allows batches.
 * @limit messages of a request to `/mcp`
 */
const BATCH_MAX = 20
/** Maximum number of progress notifications per call. Further notifications are dropped. */
const PROGRESS_MAX = 1_000
const PROGRESS_CHARACTERS_MAX = 1_000

const NOT_ACCEPTABLE = 'Responses are application/json or text/event-stream. Accept must cover one of them.'

const PASSED_CAPABILITIES = { resources: {}, prompts: {}, completions: {} }

const INTERNAL_ERROR: number = ProtocolErrorCode.InternalError
/** An upstream server's error codes for an invalid client request. */
const CLIENT_ERRORS: number[] = [ProtocolErrorCode.InvalidParams, ProtocolErrorCode.MethodNotFound]

/** State shared by all requests of one McpHttpServer. */
interface HandlerState {
  log: Pick<Logger, 'error' | 'debug'>
  /** Running calls, keyed by owner key, session and request id. */
  cancellable: Map<string, AbortController>
}

/**
 * Responds to one client request with the given server definition. `body` is the parsed JSON body, if there is one.
 */
export async function answerRequest(
  state: HandlerState,
  definition: McpServerDefinition,
  request: Request,
  body: unknown,
): Promise<Response> {
  if (Array.isArray(body) && body.length > BATCH_MAX)
    return errorResponse(null, 400, 'Too many messages in one request')
  const isPost = request.method === 'POST'
  const form = isPost
    ? formFor(request.headers.get('accept'), methodOf(body) === 'subscriptions/listen')
    : 'either'
  if (form === null) return errorResponse(idOf(body), 406, NOT_ACCEPTABLE)
  if (isPost) acceptBoth(request)
  const response = await answerInAnyForm(state, definition, request, body)
  return inForm(response, form, Array.isArray(body))
}

async function answerInAnyForm(
  state: HandlerState,
  definition: McpServerDefinition,
  request: Request,
  body: unknown,
): Promise<Response> {
  const { log, cancellable } = state
  let capabilities: Record<string, unknown>
  let subscription: Subscription | undefined
  try {
    capabilities = await capabilitiesOf(definition, body, request.signal)
    if (definition.watchResources && methodOf(body) === 'subscriptions/listen')
      subscription = new Subscription(definition.watchResources, () => void handler.close())
  } catch (error) {
    return errorResponse(idOf(body), 200, asProtocolError(error, log).message)
  }
  const exchange = new Exchange(cancellable, definition.key, request, body)
  const handler = createMcpHandler(
    (context) => createServer(state, definition, capabilities, exchange, context),
    {
      onerror: (err) => log.debug({ err }, 'MCP request refused'),
      // This handler serves only this request.
      maxSubscriptions: 1,
      ...(subscription && { bus: subscription.bus }),
    },
  )
  const response = await handler.fetch(request, { ...(body !== undefined && { parsedBody: body }) })
  subscription?.endUnused()
  if (response.ok && beginsSession(body)) response.headers.set(SESSION_HEADER, newId())
  return response
}

function createServer(
  { log }: HandlerState,
  definition: McpServerDefinition,
  capabilities: Record<string, unknown>,
  exchange: Exchange,
  { era }: McpRequestContext,
): Server {
  const server = new Server(
    { ...IMPLEMENTATION, name: definition.name },
    {
      capabilities: { ...capabilities, ...(era === 'modern' && watchedLists(definition, capabilities)) },
      ...(definition.instructions && { instructions: definition.instructions }),
    },
  )
  const attempt = <T extends object>(context: ServerContext, work: (signal: AbortSignal) => Promise<T>) =>
    exchange.attempt(server, context, async (signal) => bounded(await work(signal)))
  const throwProtocolError = (error: unknown): never => {
    throw asProtocolError(error, log)
  }

  server.setRequestHandler('tools/list', ({ params }, context) =>
    attempt(context, async (signal) => asPage(await definition.tools(signal, params?.cursor))).catch(
      throwProtocolError,
    ),
  )
  server.setRequestHandler('tools/call', ({ params }, context) =>
    attempt(context, async (signal) => {
      const onProgress = progressTo(context)
      return checked(await definition.callTool(params.name, params.arguments ?? {}, { signal, onProgress }))
    }).catch((error: unknown) => failedCall(asProtocolError(error, log))),
  )
  if (definition.request) {
    const pass = definition.request.bind(definition)
    for (const method of PASSED_METHODS) {
      if (!canAnswer(method, capabilities)) continue
      server.setRequestHandler(
        method,
        ({ params }, context) =>
          attempt(context, (signal) => pass(method, withoutMeta(params), signal)).catch(
            throwProtocolError,
          ) as never,
      )
    }
  }
  if (era === 'legacy')
    server.setNotificationHandler('notifications/cancelled', ({ params }) =>
      exchange.cancel(params.requestId),
    )
  return server
}

/**
 * Converts a tool's failure to a result for the model (MCP spec, tools, "Error Handling"). Rethrows protocol errors.
 */
function failedCall(error: ProtocolError): CallToolResult {
  if (error.code !== INTERNAL_ERROR) throw error
  return { content: [{ type: 'text', text: error.message }], isError: true }
}

function asProtocolError(error: unknown, log: HandlerState['log']): ProtocolError {
  if (error instanceof ProtocolError) return error
  if (error instanceof ResourceNotFound) return new ResourceNotFoundError(error.uri, error.message)
  if (error instanceof InvalidParams) return new ProtocolError(ProtocolErrorCode.InvalidParams, error.message)
  if (error instanceof McpError) return new ProtocolError(codeOf(error), error.message)
  if (error instanceof AppError && error.status < 500) return new ProtocolError(INTERNAL_ERROR, error.message)
  if ((error as Error | null)?.name === 'TimeoutError')
    return new ProtocolError(INTERNAL_ERROR, `No answer arrived within ${ANSWER_MS_MAX / 1000} seconds.`)
  if (!isClientGone(error)) log.error({ err: error }, 'MCP request failed')
  return new ProtocolError(INTERNAL_ERROR, 'The server could not complete this request. Try again.')
}

/**
 * Returns the upstream's error code if the client's request was invalid, and otherwise the code of an internal error.
 */
const codeOf = ({ cause }: McpError): number =>
  cause instanceof ProtocolError && CLIENT_ERRORS.includes(cause.code) ? cause.code : INTERNAL_ERROR

/** Returns true if the client cancelled or disconnected. That is not an error, and needs no response. */
const isClientGone = (error: unknown): boolean =>
  (error as Error | null)?.name === 'AbortError' ||
  (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)

/** Drops `_meta`, because a client's progress token is valid only in the client's own session. */
function withoutMeta(params: object | undefined): Record<string, unknown> {
  const { _meta, ...others } = (params ?? {}) as Record<string, unknown>
  return others
}

/** Returns the progress callback of a call. The callback sends nothing unless the client sent a progress token. */
function progressTo({ mcpReq }: ServerContext): ServedCall['onProgress'] {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return () => {}
  let sent = 0
  return ({ progress, total, message }) => {
    sent += 1
    if (sent > PROGRESS_MAX || mcpReq.signal.aborted) return
    mcpReq
      .notify({
        method: 'notifications/progress',
        params: {
          progressToken,
          progress,
          ...(total !== undefined && { total }),
          ...(message !== undefined && { message: message.slice(0, PROGRESS_CHARACTERS_MAX) }),
        },
      })
      .catch(() => {}) // the client has disconnected
  }
}

const asPage = (listed: ServedTool[] | ToolPage) =>
  (Array.isArray(listed) ? { tools: listed } : listed) as { tools: Tool[]; nextCursor?: string }

/**
 * Returns the definition's capabilities. If only the upstream knows them, asks it when a session begins, and assumes
 * all capabilities for later requests.
 */
async function capabilitiesOf(
  definition: McpServerDefinition,
  body: unknown,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  if (!definition.request) return { tools: {} }
  let found = definition.capabilities ?? {}
  if (typeof found === 'function') found = isBeginning(body) ? await found(signal) : PASSED_CAPABILITIES
  const available: Record<string, unknown> = found
  const names = Object.keys(PASSED_CAPABILITIES).filter((name) => available[name] !== undefined)
  return { tools: {}, ...Object.fromEntries(names.map((name) => [name, {}])) }
}

/** Older clients cannot subscribe, because they would need a session. */
const watchedLists = (definition: McpServerDefinition, capabilities: Record<string, unknown>) =>
  definition.watchResources && capabilities['resources'] ? { resources: { listChanged: true } } : {}

function canAnswer(method: PassedMethod, capabilities: Record<string, unknown>): boolean {
  const [kind = ''] = method.split('/')
  return capabilities[kind === 'completion' ? 'completions' : kind] !== undefined
}

const methodOf = (body: unknown): unknown => (body as { method?: unknown } | null | undefined)?.method
const isBeginning = (body: unknown): boolean => beginsSession(body) || methodOf(body) === 'server/discover'
const beginsSession = (body: unknown): boolean =>
  [body].flat().some((message) => methodOf(message) === 'initialize')

function idOf(body: unknown): string | number | null {
  const id = (body as { id?: unknown } | null | undefined)?.id
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

function errorResponse(id: string | number | null, status: number, message: string): Response {
  const code = status === 200 ? INTERNAL_ERROR : ProtocolErrorCode.InvalidRequest
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status })
}

/** Validates a tool result. Accepts a result without `content`, because servers may send only structured content. */
function checked(result: CallToolResult): CallToolResult {
  const response: object = result
  if (isCallToolResult({ content: [], ...response })) return result
  throw new ProtocolError(INTERNAL_ERROR, 'The tool returned an invalid result.')
}

function bounded<T>(answer: T): T {
  if ((JSON.stringify(answer)?.length ?? 0) > ANSWER_CHARACTERS_MAX)
    throw new ProtocolError(INTERNAL_ERROR, `The answer is longer than ${ANSWER_CHARACTERS_MAX} characters.`)
  return answer
}
