/** Clients of the first version of MCP's SDK. Parley itself uses the second. */
export { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
export { Client } from '@modelcontextprotocol/sdk/client/index.js'
export { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
export type {
  OAuthClientInformationFull,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js'
