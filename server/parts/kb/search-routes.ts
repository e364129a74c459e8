import Type from 'typebox'
import { prefersEvents } from '#platform/http/accept.ts'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { HOURS } from '#platform/http/example-values.ts'
import { FailureEvents, idOf } from '#platform/http/schemas.ts'
import { LIMIT_ERRORS } from '#platform/ledger/refusals.ts'
import { MODEL_FAILURES } from '../llm/index.ts'
import type { KbDependencies } from './dependencies.ts'
import { queryKb } from './query-kb.ts'
import { searchKb } from './search-kb.ts'
import { QueryAnswer, QueryEvent, QueryRequest, SearchAnswer, SearchRequest } from './search-schemas.ts'

const OneKb = Type.Object({ kb_id: idOf('the knowledge base') })
const ofKb = { kb: 'kb_id' } as const

export const searchRoutes = (deps: KbDependencies): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/kb/search',
    summary: 'Search a knowledge base',
    description:
      'Combines word search (BM25) and vector search by reciprocal rank fusion. Chats retrieve passages the same ' +
      'way.',
    access: { permission: 'kb:read', orgOf: ofKb },
    query: OneKb,
    body: SearchRequest,
    example: { query: HOURS, limit: 5, filter: { mime_type: 'text/html' }, explain: true },
    effects: 'outside',
    reply: [200, SearchAnswer],
    errors: [
      'kb.not_found',
      'kb.filter_invalid',
      'llm.not_found',
      'llm.inactive',
      'llm.not_configured',
      'llm.no_member',
      'llm.cannot_chat',
      ...MODEL_FAILURES,
      'billing.insufficient_credits',
      ...LIMIT_ERRORS,
      'billing.key_budget_exceeded',
      'billing.member_budget_exceeded',
    ],
    handler: ({ scope, query, body }) => searchKb(deps, scope, query.kb_id, body),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/kb/query',
    summary: 'Answer a question from a knowledge base',
    description:
      'Has a language model answer from the best passages. With `Accept: text/event-stream`, streams the answer. ' +
      'Citations such as `[1]` refer to `sources`; invalid ones are removed. If no passage reaches a score of ' +
      '0.1, no model is called and nothing is charged. `usage` covers the answer only: reranking and embedding ' +
      'have their own ledger entries.',
    access: { permission: 'kb:read', orgOf: ofKb },
    query: Type.Object({ ...OneKb.properties, events: FailureEvents }),
    body: QueryRequest,
    example: {
      query: HOURS,
      model: 'GPT-5 mini',
      params: { temperature: 0.3, include_sources: true },
    },
    effects: 'outside',
    reply: {
      view: QueryAnswer,
      orEvents: QueryEvent,
      description: 'The answer, as JSON or streamed.',
    },
    errors: [
      'kb.not_found',
      'kb.filter_invalid',
      'kb.window_too_small',
      'llm.not_found',
      'llm.inactive',
      'llm.not_configured',
      'llm.no_member',
      'llm.cannot_chat',
      ...MODEL_FAILURES,
      'billing.insufficient_credits',
      ...LIMIT_ERRORS,
      'billing.key_budget_exceeded',
      'billing.member_budget_exceeded',
    ],
    handler: ({ scope, query, body, headers }) =>
      queryKb(deps, scope, query.kb_id, body, {
        asEvents: prefersEvents(headers.accept),
        named: query.events === 'all',
      }),
  }),
]
