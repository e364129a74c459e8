import type { StoredMedia } from '#database/schema/chat.ts'
import { type Reason, reasonFor } from '#errors'
import { answeredBy } from '#platform/ledger/ledger.ts'
import { payableUsage } from '#platform/models/index.ts'
import { ToolLoop, type ToolSink } from '#platform/models/tool-loop.ts'
import { type FinishReason, ModelError, type ModelRequest, type ModelUsage } from '#platform/models/types.ts'
import type { Services } from '#platform/services.ts'
import { keepTrying } from '#platform/sweeps/keep-trying.ts'
import { logFault } from '#platform/telemetry/log-fault.ts'
import { countTokensPaid } from '#platform/telemetry/metrics.ts'
import { FOREIGN_FAILED, type OpenedAgent } from '../agents/index.ts'
import type { CallableModel, ResolvedModel } from '../llm/index.ts'
import { storedReason } from './failure.ts'
import { finishEventOf } from './finish-reason.ts'
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
  openTools(signal: AbortSignal): Promise<OpenedAgent>
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
    content: outcome.separated?.content ?? reply.content,
    reasoning: (outcome.separated ?? reply).reasoning || null,
    media: outcome.media,
    upload_ids: reply.fileIds.length > 0 ? reply.fileIds : null,
    tool_calls: reply.calls.stored.length > 0 ? reply.calls.stored : null,
    ...(outcome.error ? storedReason(outcome.error) : { error: null }),
    finish_reason: outcome.finishReason,
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
      logFault(services.log, error, { ...idsOf(reply), attempt }, 'a reply could not be stored')
    },
  )
  services.metrics.replies.inc({ status: outcome.status })
  if (stored && outcome.error === null)
    for (const [name, data] of finishEventOf(outcome.finishReason)) reply.addNamed(name, data)
  if (stored && usage) {
    countTokensPaid(
      services.metrics,
      usage,
      outcome.answered ?? { ...input.model, target: input.model.members[0].target },
    )
    const { inputRatio, outputRatio } = outcome.answered ?? input.model
    const credits = usage.inputTokens * inputRatio + usage.outputTokens * outputRatio
    reply.addNamed('usage', { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens, credits })
  }
  reply.end(stored ? outcome.error : NOT_STORED)
  Object.assign(reply, outcome.separated) // The events' ids count the text as streamed, so this comes last.
  return stored ? outcome.status : 'error'
}

/** The ids of a reply for the log. */
const idsOf = ({ ids: { chat_id, message_id } }: Reply) => ({ chat_id, message_id })

interface Outcome {
  status: ReplyEnd['status']
  error: Reason | null
  /** Usage to charge. Null if nothing is charged. */
  usage: ModelUsage | null
  media: StoredMedia[] | null
  /** Why the model ended the reply. Null if unknown, and unless the status is `complete`. */
  finishReason: FinishReason | null
  /** The stored text, if thoughts were streamed as text. */
  separated?: ToolLoop['separated']
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
  { model, ready, openTools, hidesFailure }: ReplyInput,
): Promise<Outcome> {
  let loop: ToolLoop<CallableModel> | undefined
  let finishReason: FinishReason | null = null
  const toolBroke: ToolSink['toolBroke'] = ({ name }, error) =>
    services.log.error({ err: error, message_id: reply.ids.message_id, tool: name }, 'a tool broke')
  const end = await endOf(services, reply, model, async () => {
    await ready
    const canSee = model.capabilities.includes('vision')
    const { request, tools: opened } = await openTools(reply.signal)
    const tools = opened.map((tool) => keepingFiles(services, reply, canSee, tool))
    loop = new ToolLoop(services.models, model, request, tools)
    const reason = await loop.run({ ...reply.sink, toolBroke }, reply.signal)
    finishReason = reason === 'other' ? null : reason
  })
  if (hidesFailure && reply.stopReason === undefined && end.error !== null) end.error = FOREIGN_FAILED
  const usage = (await loop?.payable(end.status === 'error')) ?? null
  const { member = null, separated } = loop ?? {}
  return { ...end, usage, media: null, finishReason, separated, answered: member }
}

async function makeMedia(
  services: WriterServices,
  reply: Reply,
  kind: StoredMedia['type'],
  { model, request, ready }: ReplyInput,
): Promise<Outcome> {
  let made: MediaResult | undefined
  const end = await endOf(services, reply, model, async () => {
    await ready
    made = await writeMedia(services, reply, { model, kind, request })
  })
  if (made) return { ...made, finishReason: made.status === 'complete' ? 'stop' : null }
  const usage = await payableUsage(null, reply, request, end.status === 'error')
  return { ...end, usage, media: null, finishReason: null, answered: null }
}

/** Runs work on a reply. Returns the status and the error to store. */
async function endOf(
  { log }: WriterServices,
  reply: Reply,
  model: ResolvedModel,
  work: () => Promise<void>,
): Promise<Pick<Outcome, 'status' | 'error'>> {
  try {
    await work()
    return { status: 'complete', error: null }
  } catch (error) {
    if (reply.stopReason === 'user') return { status: 'stopped', error: null }
    if (reply.stopReason === 'shutdown') return { status: 'error', error: INTERRUPTED }
    const expected = error instanceof ModelError
    logFault(
      log,
      error,
      { ...idsOf(reply), provider: model.members[0].target.provider, model: model.name },
      'a reply failed',
    )
    return { status: 'error', error: expected ? error : UNEXPECTED }
  }
}
