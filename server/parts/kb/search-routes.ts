import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { Uuid } from '#platform/http/schemas.ts'
import type { KbDesk } from './desk.ts'
import { searchKb } from './search-kb.ts'
import { SearchAnswer, SearchRequest } from './search-schemas.ts'

const OneKb = Type.Object({ kb_id: Uuid })
const ofKb = { kb: 'kb_id' } as const

/** What is found in knowledge bases. */
export const searchRoutes = (desk: KbDesk): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/kb/search',
    summary: 'Find the passages that fit a question best',
    description:
      'By words (BM25) and by vectors, fused by reciprocal ranks. A chat finds passages the same way, so what a search ' +
      'shows is what a chat uses.',
    access: { permission: 'kb:read', orgOf: ofKb },
    query: OneKb,
    body: SearchRequest,
    example: { query: 'When does the shop open?', limit: 5, filter: { mime_type: 'text/markdown' } },
    reply: [200, SearchAnswer],
    errors: [
      'kb.not_found',
      'kb.filter_invalid',
      'llm.not_found',
      'llm.inactive',
      'llm.not_configured',
      'llm.cannot_chat',
      'llm.failed',
      'billing.insufficient_credits',
    ],
    handler: ({ scope, query, body }) => searchKb(desk, scope, query.kb_id, body),
  }),
]
