import { createRoute, redirect } from '@tanstack/react-router'
import { appRoute } from '../../shell/app-route.tsx'
import { lateScreen } from '../../shell/late-screen.ts'
import type { SearchParams } from './search-params.ts'

type Given = Record<string, unknown>

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/**
 * Returns a search parameter as a string. The router parses numbers and booleans in the URL, but users may search for
 * them.
 */
const wordsOf = (value: unknown): string | undefined =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : textOf(value)

const countOf = (value: unknown): number | undefined =>
  Number.isInteger(value) && (value as number) > 0 ? (value as number) : undefined

const objectOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined

const list = createRoute({
  getParentRoute: () => appRoute,
  path: '/knowledge',
  validateSearch: (given: Given): { q?: string; create?: true } => ({
    q: wordsOf(given['q']),
    ...(given['create'] === true && { create: true }),
  }),
  component: lateScreen(() => import('./knowledge-list.tsx'), 'KnowledgeList'),
})

const knowledgeBase = createRoute({
  getParentRoute: () => appRoute,
  path: '/knowledge/$kbId',
  component: lateScreen(() => import('./knowledge-base.tsx'), 'KnowledgeBaseScreen'),
})

const start = createRoute({
  getParentRoute: () => knowledgeBase,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/knowledge/$kbId/documents', params, search: true, replace: true })
  },
})

const documents = createRoute({
  getParentRoute: () => knowledgeBase,
  path: '/documents',
  validateSearch: (given: Given): { find?: string; page?: number } => ({
    find: wordsOf(given['find']),
    page: countOf(given['page']),
  }),
  component: lateScreen(() => import('./documents.tsx'), 'Documents'),
})

const sources = createRoute({
  getParentRoute: () => knowledgeBase,
  path: '/sources',
  validateSearch: (given: Given): { page?: number } => ({ page: countOf(given['page']) }),
  component: lateScreen(() => import('./sources.tsx'), 'Sources'),
})

const search = createRoute({
  getParentRoute: () => knowledgeBase,
  path: '/search',
  validateSearch: (given: Given): SearchParams => ({
    mode: given['mode'] === 'ask' ? 'ask' : undefined,
    q: wordsOf(given['q']),
    limit: countOf(given['limit']),
    least: typeof given['least'] === 'number' ? given['least'] : undefined,
    filter: objectOf(given['filter']),
    rerank: textOf(given['rerank']),
    model: textOf(given['model']),
  }),
  component: lateScreen(() => import('./search.tsx'), 'Search'),
})

const evaluations = createRoute({
  getParentRoute: () => knowledgeBase,
  path: '/evaluations',
  component: lateScreen(() => import('./evaluations.tsx'), 'Evaluations'),
})

const evaluation = createRoute({
  getParentRoute: () => knowledgeBase,
  path: '/evaluations/$evaluationId',
  /** `against` is the id of the run to compare with. `page` is the page of questions. */
  validateSearch: (given: Given): { run?: string; against?: string; page?: number } => ({
    run: textOf(given['run']),
    against: textOf(given['against']),
    page: countOf(given['page']),
  }),
  component: lateScreen(() => import('./evaluation.tsx'), 'EvaluationScreen'),
})

const settings = createRoute({
  getParentRoute: () => knowledgeBase,
  path: '/settings',
  component: lateScreen(() => import('./settings.tsx'), 'Settings'),
})

const document = createRoute({
  getParentRoute: () => appRoute,
  path: '/knowledge/$kbId/documents/$documentId',
  /** `chunk` is the id of the chunk to show. `page` is the page of chunks. */
  validateSearch: (given: Given): { chunk?: string; page?: number } => ({
    chunk: textOf(given['chunk']),
    page: countOf(given['page']),
  }),
  component: lateScreen(() => import('./document.tsx'), 'DocumentScreen'),
})

export const knowledgeRoutes = [
  list,
  knowledgeBase.addChildren([start, documents, sources, search, evaluations, evaluation, settings]),
  document,
] as const
