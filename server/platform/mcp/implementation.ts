/** Name and version that Parley sends to MCP clients and servers. */
export const IMPLEMENTATION = { name: 'Parley', version: '1.0.0' }
