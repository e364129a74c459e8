import type { StoredMedia } from '#database/schema/chat.ts'
import { payableUsage } from '#platform/models/index.ts'
import { ModelError, type ModelRequest, type ModelUsage } from '#platform/models/types.ts'
import type { Rooms } from '#platform/rooms.ts'
import { keepTrying } from '#platform/sweeps/keep-trying.ts'
import type { ResolvedModel } from '../llm/index.ts'
import type { Reply } from './reply.ts'
import type { ReplyEnd, ReplyWrites } from './reply-writes.ts'
import { kindOf, writeMedia } from './write-media.ts'

const STORE_ATTEMPTS = 6

const INTERRUPTED = 'The server was restarted while this reply was being written. Ask again to go on.'
const UNEXPECTED = 'Something went wrong while this reply was being written. Please try again.'
const NOT_STORED = 'The end of this reply could not be stored. What was shown may be incomplete.'

export type WritingRooms = Pick<Rooms, 'config' | 'models' | 'metrics' | 'log' | 'storage' | 'uploads'>

/**
 * Has the model write a reply to its end, whatever that end is, and stores it together with what it costs. Never
 * throws. Its client may leave at any time: nothing here waits for one.
 */
export async function writeReply(
  rooms: WritingRooms,
  writes: ReplyWrites,
  reply: Reply,
  model: ResolvedModel,
  request: ModelRequest,
): Promise<void> {
  const outcome = await generate(rooms, reply, model, request)
  const hasFailed = outcome.status === 'error'
  const usage = await payableUsage(outcome.usage, reply, request, hasFailed)
  const end: ReplyEnd = {
    ...reply.ids,
    entry_id: reply.entryId,
    status: outcome.status,
    content: reply.content,
    reasoning: reply.reasoning || null,
    media: outcome.media,
    tool_calls: null,
    error: outcome.error,
    input_tokens: usage?.inputTokens ?? null,
    output_tokens: usage?.outputTokens ?? null,
  }
  // A database that is away for a moment must not cost a reply.
  const stored = await keepTrying(
    STORE_ATTEMPTS,
    () => writes.end(end),
    (error, attempt) =>
      rooms.log.error({ err: error, message_id: end.message_id, attempt }, 'a reply was not stored'),
  )
  rooms.metrics.replies.inc({ status: outcome.status })
  if (stored && usage) {
    rooms.metrics.tokens.inc({ direction: 'input' }, usage.inputTokens)
    rooms.metrics.tokens.inc({ direction: 'output' }, usage.outputTokens)
    const credits = usage.inputTokens * model.inputRatio + usage.outputTokens * model.outputRatio
    reply.addNamed('usage', { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens, credits })
  }
  reply.end(stored ? outcome.error : NOT_STORED)
}

interface Outcome {
  status: ReplyEnd['status']
  error: string | null
  usage: ModelUsage | null
  media: StoredMedia[] | null
}

async function generate(
  rooms: WritingRooms,
  reply: Reply,
  model: ResolvedModel,
  request: ModelRequest,
): Promise<Outcome> {
  const kind = kindOf(model) ?? 'text'
  try {
    if (kind !== 'text') return await writeMedia(rooms, reply, { model, kind, request })
    const { usage } = await rooms.models.stream(model.target, request, reply.sink, reply.signal)
    return { status: 'complete', error: null, usage, media: null }
  } catch (error) {
    const ended = { usage: null, media: null }
    if (reply.stopReason === 'user') return { ...ended, status: 'stopped', error: null }
    if (reply.stopReason === 'shutdown') return { ...ended, status: 'error', error: INTERRUPTED }
    const expected = error instanceof ModelError
    rooms.log[expected ? 'warn' : 'error']({ err: error, message_id: reply.ids.message_id }, 'a reply failed')
    return { ...ended, status: 'error', error: expected ? error.message : UNEXPECTED }
  }
}
