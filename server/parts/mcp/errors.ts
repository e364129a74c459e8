import { defineErrors } from '#errors/define.ts'

export const MCP_ERRORS = defineErrors({
  'mcp.server_not_found': [404, 'MCP server not found'],
  'mcp.server_taken': [409, 'There is an MCP server with this toolkit_slug already'],
  'mcp.server_in_use': [
    409,
    'People are connected to this server: {count}. Set auth_config to null to keep others out.',
  ],
  'mcp.server_invalid': [400, '{reason}', 'validation'],
  'mcp.secret_needed': [
    400,
    'Give auth_config.client_secret again when url, or client_id, authorization_url or token_url of auth_config change',
  ],
  'mcp.too_many_servers': [409, 'The catalogue holds {limit} servers already. Delete some first.'],
  'mcp.no_auth_config': [400, 'No auth config found for server: {serverId}'],
  'mcp.api_key_needed': [400, 'Give api_key: this server is used with a key of your own'],
  'mcp.no_api_key': [400, 'Leave api_key out: this server is not used with a key'],
  'mcp.too_many_instances': [
    402,
    'This organization may have {limit} MCP connections. Delete one that you no longer need.',
  ],
  'mcp.connect_failed': [500, 'Failed to create connected account: {reason}'],
  'mcp.state_invalid': [
    400,
    'This connection attempt has ended, or was never begun. Please connect your account again.',
  ],
  'mcp.attempt_gone': [
    404,
    'This connection attempt has expired or was already finished. Connect your account again.',
  ],
  'mcp.attempt_of_another': [
    403,
    'Another account started this connection. Sign in with that account to finish it.',
  ],
  'mcp.no_attempt': [404, 'No connection attempt found. Please connect your account first.'],
  'mcp.instance_not_found': [404, 'MCP instance not found'],
  'mcp.instance_inactive': [400, 'This connection is not active. Please connect your account again.'],
  'mcp.agent_full': [400, 'An agent can use {limit} MCP connections. Take one from it first.'],
  'mcp.link_invalid': [403, 'This address has ended or is not complete. Ask generate_url for a new one.'],
  'mcp.timed_out': [503, 'MCP server connection timed out. The server may be unavailable.'],
})
