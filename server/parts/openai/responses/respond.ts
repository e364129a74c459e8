import { AppError, fail } from '#errors'
import type { EventStream } from '#platform/http/define-route.ts'
import { commitWithAnswer } from '#platform/idempotency/pending-answer.ts'
import type { Services } from '#platform/services.ts'
import { EventLog } from '#platform/streams/event-log.ts'
import type { Sender } from '../../agents/index.ts'
import type { Outcome } from '../../llm/index.ts'
import { ClientTools } from '../client-tools.ts'
import { generate, type OpenAiDependencies } from '../generate.ts'
import { refuseFields } from '../refused-fields.ts'
import { type FieldNames, ignoredHeader, withIgnored } from '../review-parameters.ts'
import { openerOf } from './compaction.ts'
import { openHistory } from './history.ts'
import { ignoredItems } from './hosted-items.ts'
import type { Item } from './items.ts'
import { type PlacedItem, readInput } from './read-input.ts'
import { readResponseRequest } from './read-request.ts'
import type { ResponseRequest } from './schemas.ts'
import type { ResponseView } from './view-response.ts'
import { type Emit, ResponseWriter } from './writer.ts'

export interface ResponseDependencies extends OpenAiDependencies {
  services: OpenAiDependencies['services'] & Pick<Services, 'secrets' | 'log'>
}

/**
 * Implements OpenAI's Responses, as one response or streamed. A client disconnect aborts the call.
 * https://platform.openai.com/docs/api-reference/responses
 */
export async function respond(
  deps: ResponseDependencies,
  sender: Sender,
  body: ResponseRequest,
  left: AbortSignal,
): Promise<ResponseView | EventStream> {
  const abandoned = new AbortController()
  const log = new EventLog()
  const emit: Emit = (event, number) =>
    log.append(String(number), JSON.stringify({ ...event, sequence_number: number }), event.type)
  const signal = AbortSignal.any([left, abandoned.signal])
  const { ignored, ended } = await beginResponse(deps, sender, body, { emit, signal })
  if (body.stream) {
    void ended.then(() => log.end())
    return { log, named: true, abandoned, ...ignoredHeader(ignored) }
  }
  const { view, failure } = await ended
  if (left.aborted) throw fail('request.abandoned')
  if (failure) throw failure
  return withIgnored(view, ignored)
}

interface Options {
  emit: Emit
  /** Aborts the call. The response is then not stored. */
  signal: AbortSignal
  /** Items of the response that this one continues, if the client's connection remembers it. */
  remembered?: readonly Item[] | undefined
}

/** A response after its last event. */
export interface EndedResponse {
  view: ResponseView
  failure: AppError | null
  /** The items of this response and of all responses before it. */
  items: Item[]
}

/**
 * Begins a response. Resolves when the model has begun its reply. `ended` never rejects. Throws the errors of
 * `openHistory`, `readInput` and `generate`, and request.invalid.
 */
export async function beginResponse(
  deps: ResponseDependencies,
  sender: Sender,
  body: ResponseRequest,
  { emit, signal, remembered }: Options,
): Promise<{ ignored: readonly string[]; ended: Promise<EndedResponse> }> {
  refuseFields(body)
  const { scope } = sender
  const { net, secrets, log } = deps.services
  const history = await openHistory(scope, body, remembered)
  const input = await readInput(scope, body.input)
  const tools = new ClientTools(body)
  const context = { net, openCompaction: openerOf(secrets, scope.organizationId), tools }
  const request = await readResponseRequest(context, body, [...history.items.map(placedIn(body)), ...input])

  const writer = new ResponseWriter(body, tools, emit)
  const call = { name: body.model, request, fields: FIELDS }
  const { id, created, model, ended, ignored } = await generate(deps, sender, call, writer.sink, signal)
  writer.begin({ id, created, model, isStored: history.isStored })

  const store = (view: ResponseView, output: Item[]): Promise<AppError | null> =>
    commitWithAnswer(() => history.store({ id, view, input: input.map(withoutPlace), output })).then(
      () => null,
      (error: unknown) => {
        if (error instanceof AppError && error.code === 'upload.quota') return error
        log.error({ err: error }, 'a response was not stored')
        return error instanceof AppError ? error : fail('server.error', {}, { cause: error })
      },
    )
  const finish = async (outcome: Outcome): Promise<EndedResponse> => {
    const { view, items } = writer.finish(outcome)
    const isOver = outcome.failure !== null || signal.aborted
    const refusal = isOver ? null : await store(view, items)
    const isFull = refusal?.code === 'upload.quota'
    const failure = isFull ? null : (refusal ?? outcome.failure)
    const shown = failure ? writer.finish({ ...outcome, failure }).view : view
    const final = isFull ? { ...shown, store: false, not_stored: refusal.message } : shown
    writer.conclude(final)
    return { view: final, failure, items: [...history.items, ...input.map(withoutPlace), ...items] }
  }
  // Metadata is returned with the response, so it is not ignored.
  const unused = [
    ...ignoredItems(body.input),
    ...tools.ignored,
    ...ignored.filter((field) => field !== 'metadata'),
  ]
  return { ignored: unused, ended: ended.then(finish) }
}

/** Returns a function that names the request's field from which an earlier item comes. */
const placedIn =
  ({ conversation }: ResponseRequest) =>
  (item: Item): PlacedItem => ({ ...item, at: conversation ? 'conversation' : 'previous_response_id' })
const withoutPlace = ({ at: _at, ...item }: PlacedItem): Item => item

const FIELDS: FieldNames = {
  effort: 'reasoning.effort',
  verbosity: 'text.verbosity',
  logprobs: 'top_logprobs',
}
