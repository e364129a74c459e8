import type { StoredMedia } from '#database/schema/chat.ts'
import { sentence } from '#errors'
import { payableUsage } from '#platform/models/index.ts'
import { type RunnableTool, ToolLoop, type ToolSink } from '#platform/models/tool-loop.ts'
import { ModelError, type ModelRequest, type ModelUsage } from '#platform/models/types.ts'
import type { Services } from '#platform/services.ts'
import { keepTrying } from '#platform/sweeps/keep-trying.ts'
import { countTokensPaid } from '#platform/telemetry/metrics.ts'
import { FOREIGN_FAILED } from '../agents/index.ts'
import type { ResolvedModel } from '../llm/index.ts'
import type { Reply } from './reply.ts'
import type { ReplyEnd, ReplyWrites } from './reply-writes-system.ts'
import { kindOf, type MediaResult, writeMedia } from './write-media.ts'

const STORE_ATTEMPTS = 6

const INTERRUPTED = sentence('reply.interrupted')
const UNEXPECTED = sentence('reply.failed')
const NOT_STORED = sentence('reply.not_stored')

/** What has a reply written: a model, perhaps with tools. */
export interface ReplyInput {
  model: ResolvedModel
  request: ModelRequest
  /** Settles before the model is called. If it rejects, the reply fails and costs nothing. */
  ready: Promise<void>
  /** What it may use. Whatever takes its time for that is done now, since the reply has been admitted. */
  openTools(signal: AbortSignal): Promise<readonly RunnableTool[]>
  /** It is an agent of somebody else, or a visitor asks: of its model nobody hears here, nor why that failed. */
  hidesFailure: boolean
}

export type WriterServices = Pick<Services, 'config' | 'models' | 'metrics' | 'log' | 'storage' | 'uploads'>

/**
 * Has the model write a reply to its end, whatever that end is, and stores it together with what it costs. Never
 * throws. Its client may leave at any time: nothing here waits for one. Returns its status, `error` where it was not stored.
 */
export async function writeReply(
  services: WriterServices,
  writes: ReplyWrites,
  reply: Reply,
  input: ReplyInput,
): Promise<ReplyEnd['status']> {
  const outcome = await generate(services, reply, input)
  const { usage } = outcome
  reply.calls.close()
  const end: ReplyEnd = {
    ...reply.ids,
    entry_id: reply.entryId,
    status: outcome.status,
    content: reply.content,
    reasoning: reply.reasoning || null,
    media: outcome.media,
    tool_calls: reply.calls.stored.length > 0 ? reply.calls.stored : null,
    error: outcome.error,
    input_tokens: usage?.inputTokens ?? null,
    output_tokens: usage?.outputTokens ?? null,
  }
  // A database that is away for a moment must not cost a reply.
  const stored = await keepTrying(
    STORE_ATTEMPTS,
    () => writes.end(end),
    (error, attempt) =>
      services.log.error({ err: error, message_id: end.message_id, attempt }, 'a reply was not stored'),
  )
  services.metrics.replies.inc({ status: outcome.status })
  if (stored && usage) {
    countTokensPaid(services.metrics, usage)
    const { inputRatio, outputRatio } = input.model
    const credits = usage.inputTokens * inputRatio + usage.outputTokens * outputRatio
    reply.addNamed('usage', { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens, credits })
  }
  reply.end(stored ? outcome.error : NOT_STORED)
  return stored ? outcome.status : 'error'
}

interface Outcome {
  status: ReplyEnd['status']
  error: string | null
  /** What is paid; null: nothing. */
  usage: ModelUsage | null
  media: StoredMedia[] | null
}

function generate(services: WriterServices, reply: Reply, input: ReplyInput): Promise<Outcome> {
  const kind = kindOf(input.model) ?? 'text'
  return kind === 'text' ? writeText(services, reply, input) : makeMedia(services, reply, kind, input)
}

/** All steps of a model and its tools are one reply, and are paid as one. */
async function writeText(
  services: WriterServices,
  reply: Reply,
  { model, request, ready, openTools, hidesFailure }: ReplyInput,
): Promise<Outcome> {
  const { contextWindow, trustsUsage } = model
  let loop: ToolLoop | undefined
  const toolBroke: ToolSink['toolBroke'] = ({ name }, error) =>
    services.log.error({ err: error, message_id: reply.ids.message_id, tool: name }, 'a tool broke')
  const end = await endOf(services, reply, async () => {
    await ready
    const tools = await openTools(reply.signal)
    loop = new ToolLoop(services.models, model.target, request, tools, { contextWindow, trustsUsage })
    await loop.run({ ...reply.sink, toolBroke }, reply.signal)
  })
  if (hidesFailure && reply.stopReason === undefined && end.error !== null) end.error = FOREIGN_FAILED
  const usage = (await loop?.payable(end.status === 'error')) ?? null
  return { ...end, usage, media: null }
}

async function makeMedia(
  services: WriterServices,
  reply: Reply,
  kind: StoredMedia['type'],
  { model, request, ready }: ReplyInput,
): Promise<Outcome> {
  let made: MediaResult | undefined
  const end = await endOf(services, reply, async () => {
    await ready
    made = await writeMedia(services, reply, { model, kind, request })
  })
  if (made) return made
  const usage = await payableUsage(null, reply, request, end.status === 'error')
  return { ...end, usage, media: null }
}

/** How work on a reply ends. */
async function endOf(
  { log }: WriterServices,
  reply: Reply,
  work: () => Promise<void>,
): Promise<Pick<Outcome, 'status' | 'error'>> {
  try {
    await work()
    return { status: 'complete', error: null }
  } catch (error) {
    if (reply.stopReason === 'user') return { status: 'stopped', error: null }
    if (reply.stopReason === 'shutdown') return { status: 'error', error: INTERRUPTED }
    const expected = error instanceof ModelError
    log[expected ? 'warn' : 'error']({ err: error, message_id: reply.ids.message_id }, 'a reply failed')
    return { status: 'error', error: expected ? error.message : UNEXPECTED }
  }
}
