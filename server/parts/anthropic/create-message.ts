import { fail } from '#errors'
import type { EventStream } from '#platform/http/define-route.ts'
import { countRequest } from '#platform/models/index.ts'
import { EventLog } from '#platform/streams/event-log.ts'
import type { Sender } from '../agents/index.ts'
import {
  type FieldNames,
  findNamedTarget,
  generate,
  ignoredHeader,
  type OpenAiDependencies,
  withIgnored,
} from '../openai/index.ts'
import { MessageWriter } from './message-writer.ts'
import { readMessagesRequest, readPrompt } from './read-request.ts'
import type { CountRequest, MessagesRequest, MessageView } from './schemas.ts'

/**
 * Implements Anthropic's Messages, as one response or streamed. A client disconnect aborts the call.
 * https://platform.claude.com/docs/en/api/messages
 */
export async function createMessage(
  deps: OpenAiDependencies,
  sender: Sender,
  body: MessagesRequest,
  left: AbortSignal,
  requestId: string,
): Promise<MessageView | EventStream> {
  const request = await readMessagesRequest(deps.services, body)
  const abandoned = new AbortController()
  const log = new EventLog()
  let events = 0
  const writer = new MessageWriter((event) => {
    events += 1
    log.append(String(events), JSON.stringify(event), event.type)
  })
  const { model, ended, ignored } = await generate(
    deps,
    sender,
    { name: body.model, request, fields: FIELDS },
    writer.sink,
    AbortSignal.any([left, abandoned.signal]),
  )
  writer.begin(model)
  if (body.stream) {
    void ended.then((outcome) => {
      writer.end(outcome, requestId)
      log.end()
    })
    return { log, named: true, abandoned, ...ignoredHeader(ignored) }
  }
  const outcome = await ended
  if (left.aborted) throw fail('request.abandoned')
  if (outcome.failure) throw outcome.failure
  return withIgnored(writer.end(outcome, requestId), ignored)
}

/**
 * Counts the tokens of a request for any model. Other models' counts differ by a few percent.
 * https://platform.claude.com/docs/en/api/messages-count-tokens
 */
export async function countMessageTokens(
  deps: OpenAiDependencies,
  sender: Sender,
  body: CountRequest,
): Promise<{ input_tokens: number }> {
  await findNamedTarget(deps, sender, body.model)
  return { input_tokens: await countRequest(await readPrompt(deps.services, body)) }
}

const FIELDS: FieldNames = {
  stop: 'stop_sequences',
  effort: 'output_config.effort',
  user: 'metadata.user_id',
}
