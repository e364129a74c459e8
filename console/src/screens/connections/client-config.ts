/** Returns the JSON configuration of an MCP server, in the format that most MCP clients read. */
export const clientConfig = (name: string, url: string, headers?: Record<string, string>): string =>
  JSON.stringify({ mcpServers: { [name]: { url, ...(headers && { headers }) } } }, null, 2)
