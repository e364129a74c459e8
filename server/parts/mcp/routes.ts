import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { CONNECTION, SERVER } from '#platform/http/example-values.ts'
import { confirms, Enum, idOf, OrgId, Uuid } from '#platform/http/schemas.ts'
import { UploadView } from '#platform/storage/view-upload.ts'
import { confirmConnection, describePending, returnFromProvider } from './callback.ts'
import { listServers } from './catalogue.ts'
import { NewServer, ServerChange, ServerList, ServerRecord, ServerWithTools } from './catalogue-schemas.ts'
import { addServer, deleteServer, readServerRecord, updateServer } from './catalogue-system.ts'
import { connectAccount, moveCookieToHeader } from './connect.ts'
import { CLIENT_DOCUMENT, type McpDependencies } from './dependencies.ts'
import { generateUrl } from './gateway.ts'
import { deleteInstance, listInstances, readInstance, updateInstance } from './instances.ts'
import type { InstanceFinder } from './instances-system.ts'
import { attachResource, resourcesOf } from './resources.ts'
import * as schemas from './schemas.ts'
import type { ToolReader } from './tools.ts'

const OneInstance = Type.Object({ mcp_instance_id: idOf('the connection') })
const ofInstance = { mcpInstance: 'mcp_instance_id' } as const

const RESOURCE_ERRORS = [
  'mcp.instance_not_found',
  'mcp.instance_inactive',
  'mcp.resource_refused',
  'mcp.server_failed',
  'mcp.timed_out',
] as const

const CONFIRMATION =
  'The page `{FRONTEND_URL}/connections/confirm` calls this with the ticket from its fragment. The ticket expires with ' +
  'the attempt, 10 minutes after connect_account.'

export const resourceRoutes = (deps: McpDependencies, finder: InstanceFinder): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/api/mcp/resources',
    summary: "List the resources of a connection's server",
    description: 'Reads the list from the server now. Servers without resources return an empty list.',
    access: { permission: 'mcp:write', orgOf: ofInstance },
    query: OneInstance,
    reply: [200, schemas.ResourceList],
    errors: RESOURCE_ERRORS,
    handler: ({ scope, query }) => resourcesOf(deps, finder, scope, query.mcp_instance_id),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/mcp/attach_resource',
    summary: "Store a resource of a connection's server as a file for a chat",
    description:
      'Reads the resource from the server and stores it like upload_file. Pass the ID in `file_uploads` of ' +
      'send_message. A text resource of another type than CSV or Markdown is stored as plain text. Also requires ' +
      'chats:write.',
    access: { permission: 'mcp:write', orgOf: ofInstance },
    query: OneInstance,
    body: schemas.ResourceBody,
    example: { uri: 'file:///opening-hours.md' },
    effects: 'outside',
    reply: [201, UploadView],
    errors: [
      ...RESOURCE_ERRORS,
      'mcp.resource_empty',
      'request.file_too_large',
      'upload.empty',
      'upload.type',
      'upload.quota',
      'server.unavailable',
    ],
    handler: ({ scope, query, body }) => attachResource(deps, finder, scope, query.mcp_instance_id, body.uri),
  }),
]

export const instanceRoutes = (deps: McpDependencies): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/mcp/connect_account',
    summary: 'Start connecting your account at an MCP server',
    description:
      'Open `redirect_url` in the browser within 10 minutes. The provider returns it to /api/mcp/callback, which ' +
      'redirects to `{FRONTEND_URL}/mcp/callback` with `mcp_server_id`, `mcp_session_id`, `flow_type` and, on ' +
      'failure, `error`. A request with a session also gets a cookie: the browser that holds it completes the ' +
      'connection on its return, while the session lasts. Without the cookie, or with an API key, the browser ' +
      'continues to `{FRONTEND_URL}/connections/confirm`, where you sign in and confirm. Reconnects your newest ' +
      'connection to the server that is inactive or needs more permissions; otherwise creates one. Active, ' +
      'inactive and pending connections count towards the limit `mcp_sessions` of the organization. A new ' +
      'attempt replaces earlier attempts for the same connection. Without `org_id`, uses your personal ' +
      'organization.',
    access: { permission: 'mcp:write', orgOf: 'query or personal' },
    query: Type.Object({ org_id: Type.Optional(OrgId) }),
    body: schemas.NewConnection,
    example: { server_id: SERVER, flow_type: 'settings' },
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
      'For browsers that return from the provider. `state` is single-use and identifies the connection attempt. The ' +
      'browser that started the attempt finishes it here and continues to the console, also after a failure. For any ' +
      "other browser, stores the provider's response encrypted. The user who started must confirm it within 10 minutes.",
    access: 'public',
    query: schemas.CallbackQuery,
    reply: {
      redirect:
        'Redirect to `{FRONTEND_URL}/mcp/callback` with `mcp_server_id`, `mcp_session_id`, `flow_type` and, on failure, `error`.',
      seeOther: 'Redirect to `{FRONTEND_URL}/connections/confirm` with a single-use ticket as the fragment.',
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
    example: { ticket: 'mt_8cWq2Lz5' },
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
    example: { ticket: 'mt_8cWq2Lz5' },
    effects: 'outside once',
    reply: [200, schemas.ConfirmedConnection],
    errors: ['mcp.attempt_gone', 'mcp.attempt_of_another', 'mcp.connect_failed'],
    handler: ({ caller, body }) => confirmConnection(deps, caller, body.ticket),
  }),
  defineRoute({
    method: 'GET',
    url: CLIENT_DOCUMENT as '/api/mcp/client.json',
    summary: "Get this installation's OAuth client metadata",
    description:
      'A Client ID Metadata Document, for authorization servers that read it instead of registering a client.',
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
      '`mcp_url` accepts MCP over Streamable HTTP and adds the credentials of the account, which are never ' +
      'returned. Anyone who has the URL can use the account, so keep it secret. The URL expires after one hour. ' +
      'It stops working earlier if the connection is deleted or becomes inactive, if its owner leaves the ' +
      'organization or loses mcp:write, or if the session or API key that created it ends. The connection must ' +
      'be active.',
    access: { permission: 'mcp:write', inEvery: 'organization' },
    body: schemas.UrlRequest,
    example: { server_id: SERVER, session_id: CONNECTION },
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
      '`shared_agent_ids` replaces the previous list. These agents of the organization use the account for ' +
      'everyone who talks to them. Adding an agent also requires agent:write.',
    access: { permission: 'mcp:write', orgOf: ofInstance },
    query: OneInstance,
    body: schemas.InstanceChange,
    example: { name: 'Work account' },
    effects: 'database',
    current: ({ scope, query }) => readInstance(scope, query.mcp_instance_id),
    reply: [200, schemas.InstanceView],
    errors: ['mcp.instance_not_found', 'mcp.instance_inactive', 'mcp.agent_full', 'agent.not_found'],
    handler: ({ scope, query, body }) => updateInstance(scope, query.mcp_instance_id, body),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/mcp/instance',
    summary: 'Delete a connection and revoke its access at the provider',
    description:
      'The connection is deleted even if the provider fails or does not respond within 10 seconds; `message` and `code` ' +
      'then say so.',
    access: { permission: 'mcp:write', orgOf: ofInstance },
    query: OneInstance,
    effects: 'outside',
    allowedWhileSuspended: true,
    reply: [200, schemas.DeletedInstance],
    errors: ['mcp.instance_not_found'],
    handler: ({ scope, query }) => deleteInstance(deps, scope, query.mcp_instance_id),
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

export const catalogueRoutes = (deps: McpDependencies, reader: ToolReader): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/api/mcp/list_servers',
    summary: 'List the MCP servers of the catalogue',
    description: 'Returns all servers, sorted by name.',
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
      "Reads the tools from the server with the caller's newest active connection, or without one if the server " +
      'needs none. Caches them for five minutes. If the server does not respond, returns the last known tools, ' +
      'and `error` gives the reason.',
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
      name: 'Calendar',
      toolkit_name: 'Calendar',
      toolkit_slug: 'calendar',
      description: 'Reads and creates events.',
      url: 'https://calendar.example.com/mcp',
      auth_config: {
        type: 'oauth',
        client_id: 'parley',
        client_secret: 'cs_7Qx3Vn9d',
        scopes: 'events.read events.write',
      },
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
      '`auth_config` replaces the previous one; an omitted `client_secret` stays if the URL and the client stay ' +
      'the same. Moving `url` to another origin, or changing the type of `auth_config` or its `auth_config_id`, ' +
      'deactivates the existing connections: users must connect again. With `auth_config` null, nobody can ' +
      'connect; existing connections continue.',
    access: 'system',
    query: ServerQuery,
    body: ServerChange,
    example: { description: 'Reads and creates events.' },
    effects: 'outside',
    current: ({ caller, query }) => readServerRecord(deps, caller, query.server_id),
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
    reply: confirms('MCP server deleted'),
    errors: ['mcp.server_not_found', 'mcp.server_in_use'],
    async handler({ query }) {
      await deleteServer(deps, query.server_id)
    },
  }),
]
