import {
  type CallToolResult,
  createMcpHandler,
  isCallToolResult,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import { newId } from '#database/new-id.ts'
import { AppError } from '#errors'
import type { FetchHandler } from '../http/answer-by-fetch.ts'
import { ANSWER_MS_MAX, Exchange, SESSION_HEADER } from './exchange.ts'
import { McpError } from './mcp-error.ts'

/** An answer longer than this, as JSON in characters, is refused. */
const ANSWER_CHARACTERS_MAX = 8 * 1024 * 1024
/** Messages in one request: only the protocol of 2025-03-26 knows more than one. */
const BATCH_MAX = 20
/** Steps of one call that are told; those that follow are not. */
const PROGRESS_MAX = 1_000
const PROGRESS_CHARACTERS_MAX = 1_000

/** What is passed on as it is, where an offer has `request`. */
export const PASSED_METHODS = [
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
] as const
export type PassedMethod = (typeof PASSED_METHODS)[number]
const PASSED_CAPABILITIES = { resources: {}, prompts: {}, completions: {} }

/** A tool as clients are told of it. Its schema is a JSON Schema of type object. */
export interface ServedTool extends Record<string, unknown> {
  name: string
  inputSchema: Record<string, unknown>
}
export type { CallToolResult }

export interface ServedCall {
  /** Aborted when the client cancels or leaves, or when it has taken too long. */
  signal: AbortSignal
  onProgress(step: { progress: number; total?: number; message?: string }): void
}

/** Of a list that is longer; without `nextCursor` the last one. */
export interface ToolPage {
  tools: ServedTool[]
  nextCursor?: string
}

/**
 * What a client is offered. What these throw is told by kind: `refuse` and `unknownTool` as they are, an AppError and an
 * McpError by its sentence, everything else only in the log.
 */
export interface McpOffer {
  /** Whose requests these are: only those of one key can cancel each other. */
  key: string
  name: string
  /** For the client's model. */
  instructions?: string
  /** Of resources, prompts and completions, what there is. Asked only when a client begins. */
  capabilities?(signal: AbortSignal): Promise<Record<string, unknown>>
  /** All of them, or the page that begins at a cursor that a page before has given. */
  tools(signal: AbortSignal, cursor?: string): Promise<ServedTool[] | ToolPage>
  /** Throws `unknownTool` for a name that is not offered. What a tool fails with is told in its result. */
  callTool(name: string, input: Record<string, unknown>, call: ServedCall): Promise<CallToolResult>
  /** The other requests, checked by the protocol's schemas: passed on, and their answers as they come. */
  request?(
    method: PassedMethod,
    params: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>>
}

/** JSON-RPC's code for parameters that are wrong. */
export const INVALID_PARAMS: number = ProtocolErrorCode.InvalidParams
const INTERNAL_ERROR: number = ProtocolErrorCode.InternalError

/** An error of JSON-RPC with this code and sentence. */
const CLIENT_ERRORS: number[] = [INVALID_PARAMS, ProtocolErrorCode.MethodNotFound]

export const refuse = (code: number, sentence: string): Error => new ProtocolError(code, sentence)
export const unknownTool = (name: string): Error =>
  refuse(INVALID_PARAMS, `Unknown tool: ${name.slice(0, 100)}`)

/**
 * Serves MCP over Streamable HTTP, to clients of 2026-07-28 and of all earlier protocols, statelessly: any process
 * answers any request. Older clients cancel by another request, which is heeded where it reaches the same process; what
 * it cancels is found by a name that the client is given for its session, and that stands for nothing else.
 */
export class McpServing {
  readonly #version: string
  readonly #log: Pick<Logger, 'error' | 'debug'>
  readonly #cancellable = new Map<string, AbortController>()

  constructor(version: string, log: Pick<Logger, 'error' | 'debug'>) {
    this.#version = version
    this.#log = log
  }

  /** Answers one request, by whatever its sender is offered. */
  handler(offer: McpOffer): FetchHandler {
    return async (request, body) => {
      if (Array.isArray(body) && body.length > BATCH_MAX)
        return errorResponse(null, 400, 'Too many messages in one request')
      let capabilities: Record<string, unknown>
      try {
        capabilities = await capabilitiesOf(offer, body, request.signal)
      } catch (error) {
        return errorResponse(idOf(body), 200, this.#toldOf(error).message)
      }
      const exchange = new Exchange(this.#cancellable, offer.key, request, body)
      const handler = createMcpHandler((context) => this.#serverOf(offer, capabilities, exchange, context), {
        onerror: (err) => this.#log.debug({ err }, 'MCP: a request was refused'),
        maxSubscriptions: 0,
      })
      const response = await handler.fetch(request, { ...(body !== undefined && { parsedBody: body }) })
      if (response.ok && beginsSession(body)) response.headers.set(SESSION_HEADER, newId())
      return response
    }
  }

  #serverOf(
    offer: McpOffer,
    capabilities: Record<string, unknown>,
    exchange: Exchange,
    { era }: McpRequestContext,
  ): Server {
    const server = new Server(
      { name: offer.name, version: this.#version },
      { capabilities, ...(offer.instructions && { instructions: offer.instructions }) },
    )
    const attempt = <T extends object>(context: ServerContext, work: (signal: AbortSignal) => Promise<T>) =>
      exchange.attempt(server, context, async (signal) => bounded(await work(signal)))
    const inWords = (error: unknown): never => {
      throw this.#toldOf(error)
    }

    server.setRequestHandler('tools/list', ({ params }, context) =>
      attempt(context, async (signal) => asPage(await offer.tools(signal, params?.cursor))).catch(inWords),
    )
    server.setRequestHandler('tools/call', ({ params }, context) =>
      attempt(context, async (signal) => {
        const onProgress = progressTo(context)
        return checked(await offer.callTool(params.name, params.arguments ?? {}, { signal, onProgress }))
      }).catch((error: unknown) => this.#failedCall(error)),
    )
    if (offer.request) {
      const pass = offer.request.bind(offer)
      for (const method of PASSED_METHODS) {
        if (!canAnswer(method, capabilities)) continue
        server.setRequestHandler(
          method,
          ({ params }, context) =>
            attempt(context, (signal) => pass(method, withoutMeta(params), signal)).catch(inWords) as never,
        )
      }
    }
    if (era === 'legacy')
      server.setNotificationHandler('notifications/cancelled', ({ params }) =>
        exchange.cancel(params.requestId),
      )
    return server
  }

  /** What a tool fails with is for the model that called it (tools, error handling); the protocol's errors are not. */
  #failedCall(error: unknown): CallToolResult {
    const told = this.#toldOf(error)
    if (told.code !== INTERNAL_ERROR) throw told
    return { content: [{ type: 'text', text: told.message }], isError: true }
  }

  #toldOf(error: unknown): ProtocolError {
    if (error instanceof ProtocolError) return error
    if (error instanceof McpError) return new ProtocolError(codeOf(error), error.message)
    if (error instanceof AppError && error.status < 500)
      return new ProtocolError(INTERNAL_ERROR, error.message)
    if ((error as Error | null)?.name === 'TimeoutError')
      return new ProtocolError(INTERNAL_ERROR, `There was no answer within ${ANSWER_MS_MAX / 1000} seconds.`)
    if (!isDeparture(error)) this.#log.error({ err: error }, 'MCP: an answer failed')
    return new ProtocolError(INTERNAL_ERROR, 'Something went wrong on our side.')
  }
}

/** Where another server says that the request is at fault, it is so for whoever sent it. */
const codeOf = ({ cause }: McpError): number =>
  cause instanceof ProtocolError && CLIENT_ERRORS.includes(cause.code) ? cause.code : INTERNAL_ERROR

/** The client has cancelled or left: nothing is wrong, and there is nobody to tell. */
const isDeparture = (error: unknown): boolean =>
  (error as Error | null)?.name === 'AbortError' ||
  (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)

/** A client's token for progress is its own. */
function withoutMeta(params: object | undefined): Record<string, unknown> {
  const { _meta, ...others } = (params ?? {}) as Record<string, unknown>
  return others
}

/** Told only to clients that gave a token for it. */
function progressTo({ mcpReq }: ServerContext): ServedCall['onProgress'] {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return () => {}
  let told = 0
  return ({ progress, total, message }) => {
    told += 1
    if (told > PROGRESS_MAX || mcpReq.signal.aborted) return
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
      .catch(() => {}) // the client has left
  }
}

const asPage = (listed: ServedTool[] | ToolPage) =>
  (Array.isArray(listed) ? { tools: listed } : listed) as { tools: Tool[]; nextCursor?: string }

/** What is told of it when a client begins; what else a client may ask is known without asking. */
async function capabilitiesOf(
  offer: McpOffer,
  body: unknown,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  if (!offer.request) return { tools: {} }
  const found: Record<string, unknown> | undefined = isBeginning(body)
    ? await offer.capabilities?.(signal)
    : PASSED_CAPABILITIES
  const names = Object.keys(PASSED_CAPABILITIES).filter((name) => found?.[name] !== undefined)
  return { tools: {}, ...Object.fromEntries(names.map((name) => [name, {}])) }
}

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
  const code = status === 400 ? ProtocolErrorCode.InvalidRequest : INTERNAL_ERROR
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status })
}

/** Content may be left out beside structured content. */
function checked(result: CallToolResult): CallToolResult {
  const said: object = result
  if (isCallToolResult({ content: [], ...said })) return result
  throw refuse(INTERNAL_ERROR, 'The tool answered with what is no result of a tool.')
}

function bounded<T>(answer: T): T {
  if ((JSON.stringify(answer)?.length ?? 0) > ANSWER_CHARACTERS_MAX)
    throw refuse(INTERNAL_ERROR, `The answer is longer than ${ANSWER_CHARACTERS_MAX} characters.`)
  return answer
}
