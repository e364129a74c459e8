import { defineErrors, notFound, prescribedNotFound } from '#errors/define.ts'

export const MCP_ERRORS = defineErrors({
  'mcp.server_not_found': notFound('MCP server not found', 'mcp_server_id'),
  'mcp.server_taken': [409, 'An MCP server with this toolkit_slug already exists. Choose another slug.'],
  'mcp.server_in_use': [
    409,
    'This server still has connections ({count}). Set auth_config to null to prevent new ones.',
  ],
  'mcp.server_invalid': [400, '{reason}', 'validation'],
  'mcp.secret_needed': [
    400,
    'Send auth_config.client_secret again when you change url or one of these fields of auth_config: client_id, authorization_url, token_url.',
  ],
  'mcp.too_many_servers': [409, 'The catalogue can have at most {limit} servers. Delete one first.'],
  'mcp.no_auth_config': [400, 'No auth config found for server: {serverId}'],
  'mcp.api_key_needed': [400, 'api_key is required because each user of this server has their own key.'],
  'mcp.no_api_key': [400, 'Omit api_key: this server does not use a key.'],
  'mcp.too_many_instances': [
    402,
    'This organization can have at most {limit} MCP connections. Delete one first.',
  ],
  'mcp.connect_failed': [500, 'Failed to create connected account: {reason}'],
  'mcp.state_invalid': [
    400,
    'This connection attempt is not valid or has ended. Connect your account again.',
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
  'mcp.instance_not_found': prescribedNotFound('MCP instance not found', 'instance_id'),
  'mcp.instance_inactive': [400, 'This connection is not active. Connect your account again.'],
  'mcp.agent_full': [400, 'An agent can use at most {limit} MCP connections. Remove one first.'],
  'mcp.link_invalid': [403, 'This URL is incomplete or has expired. Request a new one with generate_url.'],
  'mcp.timed_out': [503, 'MCP server connection timed out. The server may be unavailable.'],

  'mcp.resource_empty': [404, 'The server returned no content for this resource. Choose another one.'],
  'mcp.resource_refused': [400, '{reason}'],
  'mcp.server_failed': [502, '{reason}'],

  'mcp.not_revoked':
    'MCP instance deleted, but its access was not revoked. Revoke it in your account at the provider. Cause: {reason}',
  'mcp.connection_deleted': 'This connection was deleted. Connect your account again.',
  'mcp.connection_inactive': 'This connection is not active. Connect your account again.',
  'mcp.moved': 'This server has moved. Connect your account again.',
  'mcp.connect_broke':
    'The server could not complete the connection. Try again. If it fails again, the operator can find the cause in the server log.',
  'mcp.server_removed': 'This server is no longer in the catalogue. Choose another server.',
  'mcp.way_changed': 'This server now uses another authentication method. Connect your account again.',
  'mcp.key_refused': 'The server does not accept this API key. Check the key and enter it again.',
  'mcp.key_echoed':
    'The server refused the request. Its message is hidden because it contains the API key. Check the key.',
  'mcp.composio_gone':
    'Composio is no longer configured on this server. Ask the operator to set COMPOSIO_API_KEY.',
  'mcp.composio_off': 'Composio is not configured on this server. Ask the operator to set COMPOSIO_API_KEY.',
  'mcp.account_not_connected': 'The provider did not connect the account. Try again.',
  'mcp.renewal_unreachable':
    'Parley could not reach the provider to renew access to this account. Try again later.',
  'mcp.nothing_to_renew':
    'This connection does not use OAuth, so its access cannot be renewed. Connect your account again.',
  'mcp.access_ended': 'The provider ended access to this account. {reason} Connect your account again.',
  'mcp.connection_unusable': 'This connection cannot be used. Connect your account again.',
  'mcp.server_timeout': 'The server did not respond within {seconds} seconds. Try again later.',
  'mcp.provider_failed': 'The provider sent an unexpected response. Try again later.',
  'mcp.provider_timeout': 'The provider did not respond in time. Try again later.',
  'mcp.address_changed': 'The URL of this server has changed. Connect your account again.',
  'mcp.auth_changed': 'The authentication method of this server has changed. Connect your account again.',
  'mcp.own_address': 'url must not be an address of this installation.',
  'mcp.header_taken': 'auth_config.header must not be {header}, which is reserved.',
  'mcp.secret_without_id': 'auth_config.client_secret requires client_id. Send both.',
  'mcp.both_urls': 'auth_config must have both authorization_url and token_url, or neither.',
  'mcp.address_refused': '{field}: {reason}',
})
