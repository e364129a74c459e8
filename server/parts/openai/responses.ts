import { fail } from '#errors'
import type { EventStream } from '#platform/http/define-route.ts'
import { EventLog } from '#platform/streams/event-log.ts'
import type { Sender } from '../agents/index.ts'
import { generate, type OpenAiDependencies } from './generate.ts'
import { readResponseRequest } from './response-request.ts'
import type { ResponseRequest } from './response-schemas.ts'
import { type ResponseView, ResponseWriter } from './response-writer.ts'
import { type FieldNames, ignoredHeader, withIgnored } from './review-parameters.ts'

/**
 * Implements OpenAI's Responses, as one response or streamed. A client disconnect aborts the call. Nothing is stored,
 * so clients send the whole conversation with each request. https://platform.openai.com/docs/api-reference/responses
 */
export async function respond(
  deps: OpenAiDependencies,
  sender: Sender,
  body: ResponseRequest,
  left: AbortSignal,
): Promise<ResponseView | EventStream> {
  const request = await readResponseRequest(deps.services.net, body)
  const abandoned = new AbortController()
  const log = new EventLog()
  const writer = new ResponseWriter(body, (event, number) =>
    log.append(String(number), JSON.stringify({ ...event, sequence_number: number }), event.type),
  )
  const { id, created, ended, ignored } = await generate(
    deps,
    sender,
    { name: body.model, request, fields: FIELDS },
    writer.sink,
    AbortSignal.any([left, abandoned.signal]),
  )
  writer.begin(id, created)
  if (body.stream) {
    void ended.then((outcome) => {
      writer.end(outcome)
      log.end()
    })
    return { log, named: true, abandoned, ...ignoredHeader(ignored) }
  }
  const outcome = await ended
  if (left.aborted) throw fail('request.abandoned')
  if (outcome.failure) throw outcome.failure
  return withIgnored(writer.end(outcome), ignored)
}

const FIELDS: FieldNames = {
  effort: 'reasoning.effort',
  verbosity: 'text.verbosity',
  logprobs: 'top_logprobs',
}
