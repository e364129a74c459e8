import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { confirms, idOf, OrgId, PageOf, PageQuery } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import { ConnectionChange, ConnectionView, NewConnection, OfferedModels } from './connection-schemas.ts'
import {
  createConnection,
  deleteConnection,
  getConnection,
  listConnections,
  listOffered,
  updateConnection,
} from './manage-connections.ts'
import { MODEL_FAILURES } from './model-failure.ts'

const ofConnection = {
  permission: 'organization:write',
  orgOf: { modelConnection: 'connection_id' },
} as const
const ConnectionQuery = Type.Object({ connection_id: idOf('the connection') })

export const connectionRoutes = (services: Services): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/llm/connections/create',
    summary: 'Create a connection to a provider of language models',
    description: 'Models use its key and base URL if their `config` has its id as `connection_id`.',
    access: { permission: 'organization:write', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId }),
    body: NewConnection,
    example: { name: 'OpenAI', provider: 'openai', api_key: 'sk-proj-4Zp0wX7u' },
    effects: 'database',
    reply: [201, ConnectionView],
    errors: ['org.not_found', 'llm.connection_name_taken', 'llm.api_key_needed', 'llm.base_url_needed'],
    handler: ({ scope, body }) => createConnection(services, scope, body),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/llm/connections/list',
    summary: 'List the connections to providers of language models',
    access: { permission: 'organization:read', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId, ...PageQuery }),
    reply: [200, PageOf(ConnectionView, 'ModelConnectionPage')],
    errors: ['org.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => listConnections(scope, query),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/llm/connections/update',
    summary: 'Change a connection to a provider of language models',
    description:
      'Applies to all models of the connection. A new `base_url` requires `api_key` again; null restores the default.',
    access: ofConnection,
    query: ConnectionQuery,
    body: ConnectionChange,
    example: { api_key: 'sk-proj-9Kq2mV1c' },
    effects: 'database',
    current: ({ scope, query }) => getConnection(scope, query.connection_id),
    reply: [200, ConnectionView],
    errors: [
      'llm.connection_not_found',
      'llm.connection_name_taken',
      'llm.connection_key_needed',
      'llm.base_url_needed',
    ],
    handler: ({ scope, query, body }) => updateConnection(services, scope, query.connection_id, body),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/llm/connections/delete',
    summary: 'Delete a connection to a provider of language models',
    access: ofConnection,
    query: ConnectionQuery,
    effects: 'database',
    reply: confirms('Model connection deleted'),
    errors: ['llm.connection_not_found', 'llm.connection_in_use'],
    async handler({ scope, query }) {
      await deleteConnection(scope, query.connection_id)
    },
  }),
  defineRoute({
    method: 'GET',
    url: '/api/llm/connections/list_models',
    summary: 'List the models that the provider of a connection offers',
    access: ofConnection,
    query: ConnectionQuery,
    reply: [200, OfferedModels],
    errors: ['llm.connection_not_found', 'llm.not_configured', ...MODEL_FAILURES],
    handler: ({ scope, query }) => listOffered(services, scope, query.connection_id),
  }),
]
