import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { confirms, idOf, OrgId, PageQuery, searchedIn } from '#platform/http/schemas.ts'
import { createApiKey, deleteApiKey, listApiKeys } from './manage-api-keys.ts'
import { ApiKeyPage, CreatedApiKey, NewApiKey } from './schemas.ts'

/**
 * Routes of API keys (ext). API keys start with `sk_` and are accepted wherever access tokens are, except by routes
 * that require a session.
 */
export const apiKeyRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    url: '/api/api_keys/create',
    summary: 'Create an API key',
    description:
      'The key acts for the caller in the organization `org_id`, given in the query or the body. It is returned ' +
      'once and stored hashed. API keys cannot create API keys.',
    access: { permission: 'organization:admin', orgOf: 'query or body' },
    query: Type.Object({ org_id: Type.Optional(OrgId) }),
    body: NewApiKey,
    example: {
      name: 'Website',
      permissions: ['chats:*', 'organization:read'],
      expires_at: '2026-04-01T09:00:00.000Z',
    },
    effects: 'database',
    reply: [201, CreatedApiKey],
    errors: ['org.not_found', 'access.session_needed', 'role.permission_not_held', 'api_key.expiry_past'],
    handler: ({ scope, body }) => createApiKey(scope, body),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/api_keys/list',
    summary: 'List the API keys of an organization',
    access: { permission: 'organization:admin', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId, ...searchedIn('the name or `prefix`'), ...PageQuery }),
    reply: [200, ApiKeyPage],
    errors: ['org.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => listApiKeys(scope, query),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/api_keys/delete',
    summary: 'Delete an API key',
    description: 'The key stops working immediately.',
    access: { permission: 'organization:admin', orgOf: { apiKey: 'api_key_id' } },
    query: Type.Object({ api_key_id: idOf('the API key') }),
    effects: 'database',
    allowedWhileSuspended: true,
    reply: confirms('API key deleted'),
    errors: ['api_key.not_found'],
    async handler({ scope, query }) {
      await deleteApiKey(scope, query.api_key_id)
    },
  }),
]
