import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { OrgId } from '#platform/http/schemas.ts'
import { readDefaults, setDefault } from './default-models.ts'
import type { ModelFinder } from './find-model.ts'
import { DefaultModels, OrganizationDefault, OwnDefault } from './schemas.ts'

const Query = Type.Object({ org_id: OrgId })
const ERRORS = [
  'org.not_found',
  'llm.not_found',
  'llm.inactive',
  'llm.not_configured',
  'llm.no_member',
  'llm.cannot_chat',
] as const

export const defaultRoutes = (finder: ModelFinder): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/api/llm/defaults',
    summary: 'Get the default language models of the caller and of the organization',
    description:
      'Without a default of the caller and of the organization, `model_id` is the oldest text model. Demo models come last.',
    access: { permission: 'organization:read', orgOf: 'query' },
    query: Query,
    reply: [200, DefaultModels],
    errors: ['org.not_found'],
    handler: ({ scope }) => readDefaults(finder, scope),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/llm/update_default',
    summary: 'Set the default language model of an organization',
    description: 'Applies to members without a default of their own.',
    access: { permission: 'organization:write', orgOf: 'query' },
    query: Query,
    body: OrganizationDefault,
    example: { organization_model_id: null },
    effects: 'database',
    current: ({ scope }) => readDefaults(finder, scope),
    reply: [200, DefaultModels],
    errors: ERRORS,
    async handler({ scope, body }) {
      await setDefault(finder, scope, null, body.organization_model_id)
      return readDefaults(finder, scope)
    },
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/llm/update_own_default',
    summary: "Set the caller's own default language model",
    description: "Takes precedence over the organization's default.",
    access: { permission: 'chats:write', orgOf: 'query' },
    query: Query,
    body: OwnDefault,
    example: { own_model_id: null },
    effects: 'database',
    current: ({ scope }) => readDefaults(finder, scope),
    reply: [200, DefaultModels],
    errors: ERRORS,
    async handler({ scope, body }) {
      await setDefault(finder, scope, scope.userId, body.own_model_id)
      return readDefaults(finder, scope)
    },
  }),
]
