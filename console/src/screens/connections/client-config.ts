/** What MCP clients have in their settings for a server, in the form that most of them read. */
export const clientConfig = (name: string, url: string, headers?: Record<string, string>): string =>
  JSON.stringify({ mcpServers: { [name]: { url, ...(headers && { headers }) } } }, null, 2)
