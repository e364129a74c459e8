import { type AppError, errorFields, fail, failureFields } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { EventStream } from '#platform/http/define-route.ts'
import type { Payer } from '#platform/ledger/ledger.ts'
import { promptBytesOf } from '#platform/models/context-window.ts'
import type { ModelRequest } from '#platform/models/types.ts'
import { modelReason, type ResolvedModel } from '../llm/index.ts'
import { CitationCheck } from './check-citations.ts'
import type { KbDependencies } from './dependencies.ts'
import { describePassages, SCORE_THRESHOLD } from './describe-passages.ts'
import { parseFilter } from './filter.ts'
import { QueryStream } from './query-stream.ts'
import { retrieve } from './retrieve.ts'
import { findReranker, findTextModel, LIMIT_DEFAULT } from './search-kb.ts'
import { type QueryAnswer, type QueryRequest, type SearchResult, viewPassage } from './search-schemas.ts'

/**
 * Share of the prompt's remaining space for passages. The rest is a margin for languages with fewer bytes per token.
 */
const PASSAGES_SHARE = 0.5
const INSTRUCTION =
  'Answer the question using only the passages that follow it, in the language of the question. ' +
  'If they do not contain the answer, say that you do not know.'
const NOTHING_FOUND = 'I do not know. This knowledge base contains nothing about the question.'

/**
 * Replies to a question from the best passages, as a JSON object or as a stream. If no
 * passage matches, no model is called and the reply says so. A model call that has started is completed and charged,
 * even if the client disconnects.
 *
 * Throws kb.not_found, kb.filter_invalid, kb.window_too_small, billing.insufficient_credits, and the errors of
 * findTextModel and findReranker. If the model fails, throws llm.failed, but a stream ends with an `error` event
 * instead.
 */
export async function queryKb(
  deps: KbDependencies,
  scope: Scope<'kb:read'>,
  kbId: string,
  input: QueryRequest,
  { asEvents, named }: { asEvents: boolean; named: boolean },
): Promise<QueryAnswer | EventStream> {
  const { query, limit = LIMIT_DEFAULT, filter, rerank, params = {} } = input
  const model = await findTextModel(deps, scope, input.model)
  const { passages } = await retrieve(deps, scope, {
    sql: scope.sql,
    organizationId: scope.organizationId,
    knowledgeBaseIds: [kbId],
    query,
    limit,
    scoreThreshold: SCORE_THRESHOLD,
    filter: parseFilter(filter),
    rerank: await findReranker(deps, scope, rerank),
  })
  const found = passages.map((passage) => viewPassage(passage, false))
  const { request, used } = toRequest(input, model, found)
  const sources = params.include_sources === false ? null : used
  const call = { deps, payer: scope, model, request, count: used.length }
  return asEvents ? stream(call, sources, named) : answer(call, sources)
}

/** Builds the model request. Throws kb.window_too_small if the context window has no space for a passage. */
function toRequest(
  { query, params: { temperature, system_prompt: systemPrompt = '' } = {} }: QueryRequest,
  { contextWindow }: ResolvedModel,
  found: SearchResult[],
): { request: ModelRequest; used: SearchResult[] } {
  const system = systemPrompt.trim() === '' ? INSTRUCTION : `${systemPrompt}\n\n${INSTRUCTION}`
  const bytesMax = promptBytesOf({ contextWindow, maxTokens: undefined }) - Buffer.byteLength(system + query)
  const { text, used } = describePassages(found, bytesMax * PASSAGES_SHARE)
  if (found.length > 0 && used.length === 0) throw fail('kb.window_too_small')
  const messages = [{ role: 'user' as const, content: `${query}\n\n${text}` }]
  return { request: { system, messages, ...(temperature !== undefined && { temperature }) }, used }
}

interface Call {
  deps: KbDependencies
  payer: Payer
  model: ResolvedModel
  request: ModelRequest
  /** Number of passages in the prompt. */
  count: number
}

interface QueryOutcome {
  failure: AppError | null
  citations: number[]
  usage: QueryAnswer['usage']
}

/**
 * Calls the model and passes its reply to `take`, after checking citations. Without passages, no model is called.
 * Throws billing.insufficient_credits.
 */
async function ask(
  { deps, payer, model, request, count }: Call,
  take: (text: string) => void,
): Promise<{ ended: Promise<QueryOutcome> }> {
  if (count === 0) {
    take(NOTHING_FOUND)
    const usage = { input_tokens: 0, output_tokens: 0 }
    return { ended: Promise.resolve({ failure: null, citations: [], usage }) }
  }
  const check = new CitationCheck(count)
  const takeSome = (text: string): void => {
    if (text !== '') take(text)
  }
  const { ended } = await deps.calls.begin(payer, model, request, {
    text: (piece) => takeSome(check.pass(piece)),
  })
  const settled = ended.then(({ failure, usage }) => {
    takeSome(check.end())
    const { inputTokens = 0, outputTokens = 0 } = usage ?? {}
    return {
      failure,
      citations: check.cited,
      usage: { input_tokens: inputTokens, output_tokens: outputTokens },
    }
  })
  return { ended: settled }
}

async function answer(call: Call, sources: SearchResult[] | null): Promise<QueryAnswer> {
  let text = ''
  const { ended } = await ask(call, (piece) => {
    text += piece
  })
  const { failure, citations, usage } = await ended
  if (failure) throw failure
  return {
    answer: text,
    ...(sources && {
      sources: numbered(sources).map((source) => ({
        ...source,
        is_cited: citations.includes(source.number),
      })),
    }),
    citations,
    usage,
  }
}

async function stream(call: Call, sources: SearchResult[] | null, named: boolean): Promise<EventStream> {
  const events = new QueryStream()
  if (sources) events.add('sources', { sources: numbered(sources) })
  const { ended } = await ask(call, (content) => events.add('content', { content }))
  ended.then(({ failure, citations, usage }) => {
    if (!failure) return events.end('end', { citations, usage })
    const reason = modelReason(failure)
    if (named) events.add('failure', failureFields(reason))
    events.end('error', errorFields(reason))
  })
  return { log: events.log, named: true }
}

const numbered = (sources: SearchResult[]) =>
  sources.map((source, index) => ({ number: index + 1, ...source }))
