import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { EVALUATED } from '#platform/http/example-values.ts'
import { confirms, idOf, PageOf, PageQuery } from '#platform/http/schemas.ts'
import type { KbDependencies } from './dependencies.ts'
import * as schemas from './evaluation-schemas.ts'
import {
  createEvaluation,
  deleteEvaluation,
  getEvaluation,
  getRun,
  listEvaluations,
  listRuns,
  startRun,
} from './evaluations.ts'
import type { EvaluationRuns } from './run-evaluation.ts'
import { NumberedPage } from './schemas.ts'

const OneKb = Type.Object({ kb_id: idOf('the knowledge base') })
const OneEvaluation = Type.Object({ ...OneKb.properties, evaluation_id: idOf('the evaluation') })
const ofKb = { kb: 'kb_id' } as const

/** Routes of evaluations, which measure retrieval quality. Evaluations are an extension of the spec. */
export const evaluationRoutes = (deps: KbDependencies, runs: EvaluationRuns): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/kb/evaluations/create',
    summary: 'Create an evaluation',
    description:
      'A set of questions, each with the documents of this knowledge base that answer it. Runs measure how well search finds them.',
    access: { permission: 'kb:write', orgOf: ofKb },
    query: OneKb,
    body: schemas.NewEvaluation,
    example: {
      name: 'Questions of customers',
      questions: EVALUATED,
    },
    effects: 'database',
    reply: [201, schemas.EvaluationView],
    errors: ['kb.not_found', 'kb.documents_unknown', 'kb.too_many_evaluations'],
    handler: ({ scope, query, body }) => createEvaluation(scope, query.kb_id, body),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/kb/evaluations/list',
    summary: 'List the evaluations of a knowledge base, newest first',
    access: { permission: 'kb:read', orgOf: ofKb },
    query: Type.Object({ ...OneKb.properties, ...PageQuery }),
    reply: [200, PageOf(schemas.EvaluationView, 'EvaluationPage')],
    errors: ['kb.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => listEvaluations(scope, query),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/kb/evaluations/get',
    summary: 'Get an evaluation with its questions',
    access: { permission: 'kb:read', orgOf: ofKb },
    query: OneEvaluation,
    reply: [200, schemas.EvaluationWithQuestions],
    errors: ['kb.not_found', 'kb.evaluation_not_found'],
    handler: ({ scope, query }) => getEvaluation(scope, query),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/kb/evaluations/delete',
    summary: 'Delete an evaluation with its runs',
    access: { permission: 'kb:delete', orgOf: ofKb },
    query: OneEvaluation,
    effects: 'database',
    reply: confirms('Evaluation deleted'),
    errors: ['kb.not_found', 'kb.evaluation_not_found'],
    async handler({ scope, query }) {
      await deleteEvaluation(scope, query)
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/kb/evaluations/run',
    summary: 'Run an evaluation',
    description:
      'Searches for each question with the given settings, after the response, charged like a search. A document ' +
      'counts once, at the rank of its best chunk. The newest 100 runs of an evaluation are kept.',
    access: { permission: 'kb:write', orgOf: ofKb },
    query: OneEvaluation,
    body: schemas.NewRun,
    example: { limit: 10, score_threshold: 0.2 },
    effects: 'database',
    reply: [201, schemas.RunView],
    errors: [
      'kb.not_found',
      'kb.evaluation_not_found',
      'kb.too_many_runs',
      'kb.filter_invalid',
      'llm.not_found',
      'llm.inactive',
      'llm.not_configured',
      'llm.no_member',
      'llm.cannot_chat',
    ],
    handler: ({ scope, query, body }) => startRun(deps, runs, scope, query, body),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/kb/evaluations/list_runs',
    summary: 'List the runs of an evaluation, newest first, with their settings and metrics',
    access: { permission: 'kb:read', orgOf: ofKb },
    query: Type.Object({ ...OneEvaluation.properties, ...PageQuery }),
    reply: [200, PageOf(schemas.RunView, 'EvaluationRunPage')],
    errors: ['kb.not_found', 'kb.evaluation_not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => listRuns(scope, query),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/kb/evaluations/get_run',
    summary: 'Get a run with its results per question',
    access: { permission: 'kb:read', orgOf: ofKb },
    query: Type.Object({
      ...OneKb.properties,
      run_id: idOf('the run'),
      page: NumberedPage.page,
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 100,
          default: 100,
          description: 'Maximum number of results per page.',
        }),
      ),
    }),
    reply: [200, schemas.RunWithResults],
    errors: ['kb.not_found', 'kb.run_not_found'],
    handler: ({ scope, query }) => getRun(scope, query),
  }),
]
