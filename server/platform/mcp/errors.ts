import { defineErrors } from '#errors/define.ts'

export const MCP_PROTOCOL_ERRORS = defineErrors({
  'mcp.sender_refused': [
    403,
    'The {name} header does not match this server. Use the URL of this server, or ask its operator to allow yours with FRONTEND_URL or CORS_ORIGINS.',
  ],

  'mcp.no_answer': '{host} did not respond within {seconds} seconds. Try again later.',
  'mcp.answer_too_large': '{host} sent more than {megabytes} MB for one call. Request less data.',
  'mcp.no_result': '{host} ended its response without a result. Try again.',
  'mcp.too_many_requests': 'One call to {host} took more than {limit} HTTP requests. Request less data.',
  'mcp.unsolicited': '{host} sent more than 16 MiB of unsolicited messages. Try again later.',
  'mcp.connection_broke': '{host} closed the connection. Try again.',
  'mcp.connection_closed': 'The connection was closed. Try again.',
  'mcp.redirect':
    '{host} redirects to another URL, and redirects are not followed. Use the URL that it redirects to.',
  'mcp.reconnect': '{host} no longer accepts this connection. Connect the account again.',
  'mcp.scope_needed': '{host} requires more permissions from the account. Connect it again to grant them.',
  'mcp.sent_too_much': '{host} answered a notification with more than 1 MiB. Try again later.',
  'mcp.not_mcp': '{host} does not respond as an MCP server. Check the URL.',
  'mcp.refused': '{host} refused the request: {details}',
  'mcp.late': '{host} did not respond in time. Try again later.',
  'mcp.status': '{host} responded with status {status}. Check the URL, or try again later.',
  'mcp.stopping': 'This server is stopping. Try again in a moment.',
  'mcp.sessions_lost': '{host} ends its sessions as soon as they start. Try again later.',
  'mcp.too_many_connections': 'Too many MCP servers are in use. Try again later.',
  'mcp.authorization_status': '{host} responded with status {status}. Try again later.',
  'mcp.authorization_address':
    'The URL {address} is longer than {limit} characters. The administrator of the authorization server must shorten it.',
  'mcp.authorization_https':
    '{host} must use https:// for authorization. Its administrator must enable https.',
  'mcp.authorization_down': '{host} had an internal error. Try again later.',
  'mcp.authorization_refused': '{host} refused the authorization: {details}',
  'mcp.authorization_timeout':
    '{host} did not complete the authorization within {seconds} seconds. Try again later.',
  'mcp.authorization_metadata':
    '{host} has no authorization server metadata. Check the URL, or set authorization_url and token_url in auth_config.',
  'mcp.authorization_metadata_missing':
    '{host} refers to metadata at {other} that does not exist. Its administrator must correct the reference.',
  'mcp.authorization_metadata_foreign': 'The metadata of {host} belongs to another server. Check the URL.',
  'mcp.authorization_issuer':
    '{host} identifies itself as another authorization server. Its administrator must correct the issuer in its metadata.',
  'mcp.authorization_issuer_too_long':
    'The issuer in the authorization server metadata is longer than {limit} characters. The administrator of the authorization server must shorten it.',
  'mcp.authorization_no_codes':
    '{host} does not support the authorization code flow, which is required. Its administrator must enable it.',
  'mcp.authorization_no_pkce':
    '{host} does not announce support for PKCE with S256, which is required. Its administrator must enable it.',
  'mcp.authorization_invalid':
    'The authorization server metadata of {host} is not valid: {details}. Its administrator must correct it.',
  'mcp.resource_metadata_invalid':
    'The protected resource metadata of {host} is not valid: {details}. Its administrator must correct it.',
  'mcp.token_response_invalid':
    'The token response of {host} is not valid: {details}. Its administrator must correct it.',
  'mcp.registration_response_invalid':
    'The client registration response of {host} is not valid: {details}. An administrator can register a client at {host} and save its client_id and client_secret in the catalogue.',
  'mcp.authorization_moved':
    'This server now uses a different authorization server. If that is correct, an administrator must set auth_config with its client_secret again.',
  'mcp.no_registration':
    '{host} does not support client registration. An administrator must register a client at {host} with the redirect URI {redirect_uri}, then save its client_id and client_secret in the catalogue.',
  'mcp.registration_refused':
    '{host} refused to register this client ({details}). An administrator must register a client at {host} with the redirect URI {redirect_uri}, then save its client_id and client_secret in the catalogue.',
  'mcp.registration_invalid':
    '{host} sent a client registration that cannot be used. An administrator can register a client at {host} and save its client_id and client_secret in the catalogue.',
  'mcp.authorization_unsafe':
    'The URL of the authorization page is not a safe web address. Do not connect an account to this server.',
  'mcp.token_type': '{host} issued a token of an unsupported type. Only bearer tokens are supported.',
  'mcp.token_invalid': '{host} issued a token that cannot be used. Connect the account again.',
  'mcp.code_invalid': '{host} sent no valid authorization code. Connect the account again.',
  'mcp.no_refresh_token': '{host} issued no refresh token. Connect the account again.',
  'mcp.tool_name_invalid':
    'Its name is missing, too long or has invisible characters. Its server must correct the name.',
  'mcp.schema_headers_invalid':
    'Its input schema is not valid: {details}. Its server must correct the schema.',
  'mcp.schema_invalid': 'Its input schema is not a JSON Schema. Its server must correct the schema.',
  'mcp.schema_no_object': 'Its input schema does not describe an object. Its server must correct the schema.',
  'mcp.schema_too_large':
    'Its input schema is larger than 64 KB or nested too deeply. Its server must shorten the schema.',
  'composio.no_answer': 'Composio did not respond within {seconds} seconds. Try again later.',
  'composio.unreachable': 'Parley could not reach Composio. Try again later.',
  'composio.address': 'Composio sent an invalid URL. Try again later.',
  'composio.incomplete': 'Composio sent a response without {name}. Try again later.',
  'composio.refused': 'Composio refused the request. Check COMPOSIO_API_KEY and auth_config_id.',
  'composio.refused_because': 'Composio refused the request: {details}',
})
