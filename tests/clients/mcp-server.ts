/** Servers of the first version of MCP's SDK. */
export { Server } from '@modelcontextprotocol/sdk/server/index.js'
export { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
export { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
export {
  CallToolRequestSchema,
  isInitializeRequest,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
