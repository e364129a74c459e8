import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { Enum, idOf, Message, OrgId, Uuid } from '#platform/http/schemas.ts'
import { confirmConnection, describePending, returnFromProvider } from './callback.ts'
import { listServers } from './catalogue.ts'
import { NewServer, ServerChange, ServerList, ServerRecord, ServerWithTools } from './catalogue-schemas.ts'
import { addServer, deleteServer, updateServer } from './catalogue-system.ts'
import { connectAccount, moveCookieToHeader } from './connect.ts'
import { CLIENT_DOCUMENT, type McpDependencies } from './dependencies.ts'
import { generateUrl } from './gateway.ts'
import { deleteInstance, listInstances, updateInstance } from './instances.ts'
import * as schemas from './schemas.ts'
import type { ToolReader } from './tools.ts'

const OneInstance = Type.Object({ mcp_instance_id: idOf('the connection') })
const ofInstance = { mcpInstance: 'mcp_instance_id' } as const

const CONFIRMATION =
  'The page `{FRONTEND_URL}/connections/confirm` calls this with the ticket from its fragment. The ticket expires with ' +
  'the attempt, 10 minutes after connect_account.'

/** Connecting accounts at MCP servers, and the instances that come of it (spec, MCP; contract, 8). */
export const instanceRoutes = (deps: McpDependencies): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/mcp/connect_account',
    summary: 'Begin to connect your account at an MCP server',
    description:
      'Send the browser to redirect_url within 10 minutes: it comes back to /api/mcp/callback, and goes on to ' +
      '`{FRONTEND_URL}/mcp/callback` with mcp_server_id, mcp_session_id and flow_type, and with error where it failed. ' +
      'With a session, the answer sets a cookie: the browser that has it, while the session lives, finishes the ' +
      'connection when it comes back. Any other browser, and every attempt of an API key, goes on to ' +
      '`{FRONTEND_URL}/connections/confirm#ticket`, where you sign in and confirm. ' +
      'Your newest inactive connection to the server is connected again; if there is none, there is a new one, which ' +
      'counts against mcp_sessions of the organization (org_id, else your personal one) as long as it is active, ' +
      'inactive, or can still be finished. Of several attempts for one connection the newest holds.',
    access: { permission: 'mcp:write', orgOf: 'query or personal' },
    query: Type.Object({ org_id: Type.Optional(OrgId) }),
    body: schemas.NewConnection,
    example: { server_id: '019a0000-0000-7000-8000-000000000001', flow_type: 'settings' },
    effects: 'outside once',
    present: moveCookieToHeader,
    reply: [201, schemas.ConnectionAttempt],
    errors: [
      'org.not_found',
      'mcp.server_not_found',
      'mcp.no_auth_config',
      'mcp.api_key_needed',
      'mcp.no_api_key',
      'mcp.instance_not_found',
      'mcp.too_many_instances',
      'mcp.connect_failed',
    ],
    handler: ({ scope, body }) => connectAccount(deps, scope, body),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/mcp/callback',
    summary: "Receive a provider's redirect",
    description:
      'Not called by clients. The state is single-use and identifies what the provider does not pass on. The browser ' +
      'that started the connection goes on to the console, whether the account was connected or not. In any other ' +
      "browser the provider's answer is stored encrypted and not used until the user who started it confirms.",
    access: 'public',
    query: schemas.CallbackQuery,
    reply: {
      redirect: 'To `{FRONTEND_URL}/mcp/callback` with mcp_server_id, mcp_session_id, flow_type, error',
      seeOther: 'To `{FRONTEND_URL}/connections/confirm` with a one-time ticket as the fragment',
    },
    errors: ['mcp.state_invalid'],
    handler: ({ client, query, headers }) => returnFromProvider(deps, client, query, headers.cookie),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/mcp/pending_connection',
    summary: 'Describe a connection that waits for confirmation',
    description: CONFIRMATION,
    access: 'session',
    body: schemas.TicketBody,
    example: { ticket: 'mt_0123456789' },
    effects: 'database',
    reply: [200, schemas.PendingConnection],
    errors: ['mcp.attempt_gone'],
    handler: ({ caller, body }) => describePending(deps, caller, body.ticket),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/mcp/confirm_connection',
    summary: 'Finish a connection that you started in another browser or with an API key',
    description: `${CONFIRMATION} Only the user who started the connection can finish it, once.`,
    access: 'session',
    body: schemas.TicketBody,
    example: { ticket: 'mt_0123456789' },
    effects: 'outside once',
    reply: [200, schemas.ConfirmedConnection],
    errors: ['mcp.attempt_gone', 'mcp.attempt_of_another', 'mcp.connect_failed'],
    handler: ({ caller, body }) => confirmConnection(deps, caller, body.ticket),
  }),
  defineRoute({
    method: 'GET',
    url: CLIENT_DOCUMENT as '/api/mcp/client.json',
    summary: 'Who this installation is to authorization servers',
    description:
      'A Client ID Metadata Document, for authorization servers that fetch it instead of registering us.',
    access: 'public',
    reply: [200, schemas.ClientDocument],
    errors: ['request.method_not_allowed'],
    handler: async () => (await deps.authorizer.clientMetadataDocument()) as never,
  }),
  defineRoute({
    method: 'POST',
    url: '/api/mcp/generate_url',
    summary: 'Create an MCP URL for a connection, valid for one hour',
    description:
      'mcp_url speaks MCP over Streamable HTTP, in all versions of the protocol, and adds the account on the way: what ' +
      'proves it to the server is never shown. Anyone who has the address can use the account, so keep it secret. It ' +
      'expires after one hour. It stops earlier when the connection is deleted or becomes inactive, when the owner ' +
      'leaves the organization or loses mcp:write there, and when the session or API key that made it ends. ' +
      'Connections that are pending or inactive have no address.',
    access: { permission: 'mcp:write', inEvery: 'organization' },
    body: schemas.UrlRequest,
    example: {
      server_id: '019a0000-0000-7000-8000-000000000001',
      session_id: '019a0000-0000-7000-8000-000000000002',
    },
    effects: 'database',
    reply: [200, schemas.GatewayUrl],
    errors: ['mcp.no_attempt', 'mcp.instance_inactive'],
    handler: ({ scopes, body }) => generateUrl(deps, scopes, body),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/mcp/list_instances',
    summary: 'List your own connections to MCP servers in an organization, newest first',
    access: { permission: 'mcp:read', orgOf: 'query' },
    query: Type.Object({
      org_id: OrgId,
      status: Type.Optional(Enum(schemas.INSTANCE_STATUSES, { description: 'Filter by status.' })),
    }),
    reply: [200, Type.Array(schemas.InstanceView)],
    errors: ['org.not_found'],
    handler: ({ scope, query }) => listInstances(scope, query.status),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/mcp/instance',
    summary: 'Rename a connection or share it with agents',
    description:
      'shared_agent_ids replaces those before: agents of the organization, which then use this account for whoever talks to them. Who adds one needs agent:write, as for every change of an agent.',
    access: { permission: 'mcp:write', orgOf: ofInstance },
    query: OneInstance,
    body: schemas.InstanceChange,
    example: { name: 'Work account' },
    effects: 'database',
    reply: [200, schemas.InstanceView],
    errors: ['mcp.instance_not_found', 'mcp.instance_inactive', 'mcp.agent_full', 'agent.not_found'],
    handler: ({ scope, query, body }) => updateInstance(scope, query.mcp_instance_id, body),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/mcp/instance',
    summary: 'Delete a connection and revoke its access at the provider',
    description:
      'It is gone here whatever the provider does; message says where that one could not be told within 10 seconds.',
    access: { permission: 'mcp:write', orgOf: ofInstance },
    query: OneInstance,
    effects: 'outside',
    reply: [200, Message],
    errors: ['mcp.instance_not_found'],
    handler: async ({ scope, query }) => ({
      message: await deleteInstance(deps, scope, query.mcp_instance_id),
    }),
  }),
]

const reading = { permission: 'mcp:read', orgOf: 'query or personal' } as const
const ServerQuery = Type.Object({ server_id: idOf('the server') })
const Org = Type.Optional(
  Type.String({
    ...Uuid,
    description: 'ID of the organization. Default: that of the API key, or the personal one.',
  }),
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
    handler: async ({ scope }) => ({ servers: await listServers(scope) }),
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
      server_id: idOf('the server'),
      org_id: Org,
      refresh: Type.Optional(
        Type.Boolean({ default: false, description: 'Whether to read the tools from the server now.' }),
      ),
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
    summary: 'Delete an MCP server without connections',
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
