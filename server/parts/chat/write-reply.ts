import type { StoredMedia } from '#database/schema/chat.ts'
import { type Reason, reasonFor } from '#errors'
import { answeredBy } from '#platform/ledger/ledger.ts'
import { payableUsage } from '#platform/models/index.ts'
import { type RunnableTool, ToolLoop, type ToolSink } from '#platform/models/tool-loop.ts'
import { ModelError, type ModelRequest, type ModelUsage } from '#platform/models/types.ts'
import type { Services } from '#platform/services.ts'
import { keepTrying } from '#platform/sweeps/keep-trying.ts'
import { countTokensPaid } from '#platform/telemetry/metrics.ts'
import { FOREIGN_FAILED } from '../agents/index.ts'
import type { CallableModel, ResolvedModel } from '../llm/index.ts'
import { storedReason } from './failure.ts'
import { type KeepingServices, keepingFiles } from './keep-tool-files.ts'
import type { Reply } from './reply.ts'
import type { ReplyEnd, ReplyWrites } from './reply-writes-system.ts'
import { kindOf, type MediaResult, writeMedia } from './write-media.ts'

/** Attempts over five minutes. Until the reply is stored, its readers wait. */
const STORE_ATTEMPTS = 150

const INTERRUPTED = reasonFor('reply.interrupted')
const UNEXPECTED = reasonFor('reply.failed')
const NOT_STORED = reasonFor('reply.not_stored')

export interface ReplyInput {
  model: ResolvedModel
  request: ModelRequest
  /** Must settle before the model is called. If it rejects, the reply fails without a charge. */
  ready: Promise<void>
  /** Opens the tools, which may take time. Called after the hold is taken. */
  openTools(signal: AbortSignal): Promise<readonly RunnableTool[]>
  /** True for visitors, and for another organization's agent. Errors then reveal neither the model nor the reason. */
  hidesFailure: boolean
}

export type WriterServices = KeepingServices & Pick<Services, 'models' | 'metrics' | 'storage'>

/**
 * Generates a reply, and stores it together with its debit. Never throws, and never waits for a client. Returns the
 * final status, which is `error` if the reply could not be stored.
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
    upload_ids: reply.fileIds.length > 0 ? reply.fileIds : null,
    tool_calls: reply.calls.stored.length > 0 ? reply.calls.stored : null,
    ...(outcome.error ? storedReason(outcome.error) : { error: null }),
    input_tokens: usage?.inputTokens ?? null,
    output_tokens: usage?.outputTokens ?? null,
    ...answeredBy(input.model, outcome.answered),
  }
  // Retries, so that a short database outage doesn't lose the reply.
  let hasFailed = false
  const stored = await keepTrying(
    STORE_ATTEMPTS,
    async () => (await writes.end(end)) || (hasFailed && (await writes.isEnded(end))),
    (error, attempt) => {
      hasFailed = true
      services.log.error({ err: error, message_id: end.message_id, attempt }, 'a reply could not be stored')
    },
  )
  services.metrics.replies.inc({ status: outcome.status })
  if (stored && usage) {
    countTokensPaid(services.metrics, usage)
    const { inputRatio, outputRatio } = outcome.answered ?? input.model
    const credits = usage.inputTokens * inputRatio + usage.outputTokens * outputRatio
    reply.addNamed('usage', { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens, credits })
  }
  reply.end(stored ? outcome.error : NOT_STORED)
  return stored ? outcome.status : 'error'
}

interface Outcome {
  status: ReplyEnd['status']
  error: Reason | null
  /** Usage to charge. Null if nothing is charged. */
  usage: ModelUsage | null
  media: StoredMedia[] | null
  /** The model that answered. Null if no model was called. */
  answered: CallableModel | null
}

function generate(services: WriterServices, reply: Reply, input: ReplyInput): Promise<Outcome> {
  const kind = kindOf(input.model) ?? 'text'
  return kind === 'text' ? writeText(services, reply, input) : makeMedia(services, reply, kind, input)
}

/** Generates a text reply. All calls of the model and its tools are charged together. */
async function writeText(
  services: WriterServices,
  reply: Reply,
  { model, request, ready, openTools, hidesFailure }: ReplyInput,
): Promise<Outcome> {
  let loop: ToolLoop<CallableModel> | undefined
  const toolBroke: ToolSink['toolBroke'] = ({ name }, error) =>
    services.log.error({ err: error, message_id: reply.ids.message_id, tool: name }, 'a tool broke')
  const end = await endOf(services, reply, async () => {
    await ready
    const canSee = model.capabilities.includes('vision')
    const tools = (await openTools(reply.signal)).map((tool) => keepingFiles(services, reply, canSee, tool))
    loop = new ToolLoop(services.models, model, request, tools)
    await loop.run({ ...reply.sink, toolBroke }, reply.signal)
  })
  if (hidesFailure && reply.stopReason === undefined && end.error !== null) end.error = FOREIGN_FAILED
  const usage = (await loop?.payable(end.status === 'error')) ?? null
  return { ...end, usage, media: null, answered: loop?.member ?? null }
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
  return { ...end, usage, media: null, answered: null }
}

/** Runs work on a reply. Returns the status and the error to store. */
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
    return { status: 'error', error: expected ? error : UNEXPECTED }
  }
}
