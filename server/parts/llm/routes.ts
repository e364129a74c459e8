import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { confirms, idOf, OrgId, PageOf, PageQuery, searchedIn } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import { getEnvironmentModel, updateEnvironmentModel } from './environment-models-system.ts'
import type { ModelFinder } from './find-model.ts'
import { listHealth } from './list-health.ts'
import { addModel, deleteModel, getModel, listModels, readModel, updateModel } from './manage-models.ts'
import {
  EnvironmentModelChange,
  ModelChange,
  ModelHealthView,
  ModelTest,
  ModelView,
  NewModel,
} from './schemas.ts'
import { testModel } from './test-model.ts'

const ofModel = { permission: 'organization:write', orgOf: { model: 'model_id' } } as const
const SETTINGS_ERRORS = [
  'llm.connection_not_found',
  'llm.connection_or_key',
  'llm.connection_of_another',
  'llm.route_needed',
  'llm.setting_unknown',
  'llm.member_not_found',
  'llm.member_is_route',
  'llm.members_differ',
] as const
const ModelQuery = Type.Object({ model_id: idOf('the model') })

export const llmRoutes = (services: Services, finder: ModelFinder): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/llm/add',
    summary: 'Add a language model to an organization',
    description:
      "Without `org_id`, adds the model to the caller's personal organization. A model of the provider `route` has " +
      'members, which it tries until one answers (docs/model-routes.md).',
    access: { permission: 'organization:write', orgOf: 'query or personal' },
    query: Type.Object({ org_id: Type.Optional(OrgId) }),
    body: NewModel,
    example: {
      name: 'GPT-5 mini',
      provider: 'openai',
      version: 'gpt-5-mini',
      config: { api_key: 'sk-proj-4Zp0wX7u', context_window: 400_000, input_ratio: 1, output_ratio: 4 },
    },
    effects: 'database',
    reply: [201, ModelView],
    errors: ['org.not_found', ...SETTINGS_ERRORS],
    handler: ({ scope, body }) => addModel(services, scope, body),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/llm/list',
    summary: 'List the language models that an organization can use',
    access: { permission: 'organization:read', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId, ...searchedIn('the name or `version`'), ...PageQuery }),
    reply: [200, PageOf(ModelView, 'LanguageModelPage')],
    errors: ['org.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => listModels(services, scope, query),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/llm/get',
    summary: 'Get a language model that an organization can use',
    access: { permission: 'organization:read', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId, ...ModelQuery.properties }),
    reply: [200, ModelView],
    errors: ['org.not_found', 'llm.not_found'],
    handler: ({ scope, query }) => readModel(services, scope, query.model_id),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/llm/health',
    summary: 'List the health of language models and routes',
    description:
      'Lists active models. Each server process tracks the failures of its own calls; the one that answers shows its view.',
    access: { permission: 'organization:read', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId, ...PageQuery }),
    reply: [200, PageOf(ModelHealthView, 'LanguageModelHealthPage')],
    errors: ['org.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => listHealth(services, scope, query),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/llm/update',
    summary: 'Change a language model',
    description: 'Omitted fields stay unchanged, also those of `config`; null removes one.',
    access: ofModel,
    query: ModelQuery,
    body: ModelChange,
    example: { config: { input_ratio: 1, output_ratio: 4 } },
    effects: 'database',
    current: ({ scope, query }) => getModel(scope, query.model_id),
    reply: [200, ModelView],
    errors: ['llm.not_found', 'llm.key_needed', ...SETTINGS_ERRORS],
    handler: ({ scope, query, body }) => updateModel(services, scope, query.model_id, body),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/llm/delete',
    summary: 'Delete a language model',
    access: ofModel,
    query: ModelQuery,
    effects: 'database',
    reply: confirms('Language model deleted'),
    errors: ['llm.not_found', 'llm.in_use'],
    async handler({ scope, query }) {
      await deleteModel(scope, query.model_id)
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/llm/test',
    summary: 'Test a language model with a one-word prompt',
    access: ofModel,
    query: ModelQuery,
    effects: 'outside',
    reply: [200, ModelTest],
    errors: ['llm.not_found', 'llm.not_configured', 'llm.no_member'],
    handler: ({ scope, query }) => testModel(services, finder, scope, query.model_id),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/llm/update_environment_model',
    summary: 'Set the price and availability of an environment model',
    access: 'system',
    query: ModelQuery,
    body: EnvironmentModelChange,
    example: { input_ratio: 1, output_ratio: 4 },
    effects: 'database',
    current: ({ query }) => getEnvironmentModel(services, query.model_id),
    reply: [200, ModelView],
    errors: ['llm.not_found'],
    handler: ({ query, body }) => updateEnvironmentModel(services, query.model_id, body),
  }),
]
