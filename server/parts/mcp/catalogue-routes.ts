import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { Message, Uuid } from '#platform/http/schemas.ts'
import { NewServer, ServerChange, ServerList, ServerRecord, ServerWithTools } from './catalogue-schemas.ts'
import type { McpDependencies } from './dependencies.ts'
import { addServer, deleteServer, updateServer } from './manage-servers.ts'
import { listServers } from './read-servers.ts'
import type { ToolReader } from './read-tools.ts'

const reading = { permission: 'mcp:read', orgOf: 'query or personal' } as const
const ServerQuery = Type.Object({ server_id: Uuid })
const Org = Type.Optional(
  Type.String({ ...Uuid, description: "In which organization; else the API key's, or the personal one" }),
)

/** The catalogue of MCP servers: what all see of it, and its administration. */
export const catalogueRoutes = (deps: McpDependencies, reader: ToolReader): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/api/mcp/list_servers',
    summary: 'List the MCP servers of the catalogue',
    description: 'All of them, by name.',
    access: reading,
    query: Type.Object({ org_id: Org }),
    reply: [200, ServerList],
    errors: ['org.not_found'],
    handler: async ({ scope }) => ({ servers: await listServers(deps, scope) }),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/mcp/server_with_tools',
    summary: 'Get an MCP server with its tools',
    description:
      "Its tools are read from the server with the caller's newest active connection, or without one where none is " +
      'needed, and kept for five minutes. Where the server does not answer, they are the last known ones, and error ' +
      'says why. Without a connection there are none.',
    access: reading,
    query: Type.Object({
      server_id: Uuid,
      org_id: Org,
      refresh: Type.Optional(Type.Boolean({ default: false, description: 'Read the tools now' })),
    }),
    reply: [200, ServerWithTools],
    errors: ['org.not_found', 'mcp.server_not_found'],
    handler: ({ scope, query }) => reader.serverWithTools(scope, query.server_id, query.refresh ?? false),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/mcp/servers',
    summary: 'Add an MCP server to the catalogue',
    access: 'system',
    body: NewServer,
    example: {
      name: 'Weather',
      toolkit_name: 'Weather',
      toolkit_slug: 'weather',
      description: 'Forecasts and measurements of the weather, all over the world',
      url: 'https://weather.example.com/mcp',
      auth_config: { type: 'oauth', client_id: 'parley', client_secret: 'secret', scopes: 'forecasts' },
    },
    effects: 'database',
    reply: [201, ServerRecord],
    errors: ['mcp.server_invalid', 'mcp.server_taken', 'mcp.too_many_servers'],
    handler: ({ body }) => addServer(deps, body),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/mcp/servers',
    summary: 'Change an MCP server of the catalogue',
    description:
      'An auth_config replaces the one before, but for a client_secret that is not given again: that one stays. Where ' +
      'url moves to another origin, auth_config to another type, or to another auth_config_id of Composio, the ' +
      'connections of people become inactive: they have to connect again. With auth_config null nobody can connect ' +
      'any more, and those who are connected stay so.',
    access: 'system',
    query: ServerQuery,
    body: ServerChange,
    example: { description: 'Forecasts of the weather' },
    effects: 'outside',
    reply: [200, ServerRecord],
    errors: ['mcp.server_not_found', 'mcp.server_invalid', 'mcp.server_taken', 'mcp.secret_needed'],
    handler: ({ caller, query, body }) => updateServer(deps, caller, query.server_id, body),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/mcp/servers',
    summary: 'Delete an MCP server that nobody is connected to',
    access: 'system',
    query: ServerQuery,
    effects: 'database',
    reply: [200, Message],
    errors: ['mcp.server_not_found', 'mcp.server_in_use'],
    async handler({ query }) {
      await deleteServer(deps, query.server_id)
      return { message: 'MCP server deleted' }
    },
  }),
]
