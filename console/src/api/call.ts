import type { Operations, PasskeyOptions } from './operations.ts'
import { randomKey } from './random-key.ts'
import { accessToken, renewedToken } from './session.ts'

export type OperationName = keyof Operations
export type Query<O extends OperationName> = Operations[O]['query']
export type Body<O extends OperationName> = Operations[O]['body']
export type Reply<O extends OperationName> = Operations[O]['reply']

/** What an operation is asked with: a body where it has one, the query, and how to give up. */
export type Input<O extends OperationName> = (Record<never, never> extends Query<O>
  ? { query?: Query<O> }
  : { query: Query<O> }) &
  (undefined extends Body<O> ? { body?: Body<O> } : { body: Body<O> }) & { signal?: AbortSignal }

/** How the second step of a sign-in can be done. */
export interface SecondFactorDemand {
  challenge: string
  methods: ('totp' | 'passkey' | 'recovery_code')[]
  passkey_options: PasskeyOptions['options'] | undefined
}

interface Refusal extends Partial<SecondFactorDemand> {
  detail?: string
  code?: string
}

/** What the server has refused, in its own words; or that it could not be reached. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** 0: there was no answer. */
  readonly status: number
  /** Of the catalogue, as `org.not_found`. */
  readonly code: string
  readonly requestId: string | null
  readonly retryAfterMs: number | null
  /** What goes on with a sign-in that was refused for want of a second factor. */
  readonly secondFactor: SecondFactorDemand | null

  constructor(
    detail: string,
    status: number,
    code: string,
    answer?: Response,
    secondFactor: SecondFactorDemand | null = null,
  ) {
    super(detail)
    this.status = status
    this.code = code
    this.secondFactor = secondFactor
    this.requestId = answer?.headers.get('x-request-id') ?? null
    const seconds = Number(answer?.headers.get('retry-after'))
    this.retryAfterMs = seconds > 0 ? seconds * 1000 : null
  }
}

const UNREACHABLE = 'The server cannot be reached. Check the connection and try again.'
const SECOND_TRY_MS = 1_000

/** Asks an operation. Throws an ApiError, or the reason of the signal. */
export async function call<O extends OperationName>(operation: O, input: Input<O>): Promise<Reply<O>> {
  const [method, path] = operation.split(' ') as [string, string]
  const { query, body, signal } = input as { query?: object; body?: unknown; signal?: AbortSignal }
  const init: RequestInit = {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      // Sent again, it is done once (docs/idempotency.md).
      ...(method === 'POST' && { 'idempotency-key': randomKey() }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }
  const answer = await twice(() => authorizedFetch(addressOf(path, query), init), signal)
  if (!answer.ok) throw await errorOf(answer)
  return (await answer.json()) as Reply<O>
}

/** `fetch` as who is signed in. Network errors are ApiErrors of status 0; answers are whatever they are. */
export async function authorizedFetch(address: string, init: RequestInit = {}): Promise<Response> {
  const send = async (token: string | null): Promise<Response> => {
    const headers = new Headers(init.headers)
    if (token !== null) headers.set('authorization', `Bearer ${token}`)
    return fetch(address, { ...init, headers })
  }
  try {
    const token = await accessToken()
    const answer = await send(token)
    if (answer.status !== 401 || token === null) return answer
    const renewed = await renewedToken(token)
    return renewed === null ? answer : await send(renewed)
  } catch (error) {
    if (init.signal?.aborted) throw init.signal.reason
    throw error instanceof ApiError ? error : new ApiError(UNREACHABLE, 0, 'network')
  }
}

/** The address of an operation with its query; what is undefined is left out. */
export function addressOf(path: string, query: object = {}): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? path : `${path}?${text}`
}

export async function errorOf(answer: Response): Promise<ApiError> {
  const body = (await answer.json().catch(() => null)) as Refusal | null
  const detail = body?.detail ?? `The server answered with ${answer.status}.`
  const { challenge, methods, passkey_options } = body ?? {}
  const demand = challenge && methods ? { challenge, methods, passkey_options } : null
  return new ApiError(detail, answer.status, body?.code ?? 'unknown', answer, demand)
}

/** A connection that broke is tried once more; POSTs carry a key, and all else may be repeated by nature. */
async function twice(send: () => Promise<Response>, signal?: AbortSignal): Promise<Response> {
  try {
    return await send()
  } catch (error) {
    if (signal?.aborted || !(error instanceof ApiError)) throw error
    await new Promise((resolve) => setTimeout(resolve, SECOND_TRY_MS))
    return send()
  }
}
