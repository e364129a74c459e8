import { McpConnections, type McpEndpoint } from '#platform/mcp/connection.ts'
import { createNet, type Net } from '#platform/net/index.ts'
import { createLog } from '#platform/telemetry/log.ts'

/*
 * The client for the MCP conformance suite. Run it as `node conformance-client.ts <server URL>`, with the scenario's
 * name in MCP_CONFORMANCE_SCENARIO. Exits with 0 after completing the scenario.
 */

/** Authorizes requests to a server. Only authorization scenarios provide an implementation. */
export type Authorize = (
  net: Net,
  url: string,
  signal: AbortSignal,
) => Promise<Pick<McpEndpoint, 'headers' | 'renew'>>

/** The tool call that each scenario expects. */
const CALLS: Record<string, [name: string, input: Record<string, unknown>]> = {
  tools_call: ['add_numbers', { a: 5, b: 3 }],
  'sse-retry': ['test_reconnection', {}],
  'elicitation-sep1034-client-defaults': ['test_client_elicitation_defaults', {}],
}
const SCENARIO_TIMEOUT_MS = 25_000

/** Connects, lists the tools, and makes the tool call that the scenario expects. */
export async function playScenario(scenario: string, url: string, authorize?: Authorize): Promise<void> {
  const signal = AbortSignal.timeout(SCENARIO_TIMEOUT_MS)
  const net = createNet({ allowPrivateNetwork: ['127.0.0.0/8', '::1/128'] })
  const connections = new McpConnections(net, createLog({ logLevel: 'silent' }), {
    ...(scenario.startsWith('elicitation') && { elicit: async () => ({ action: 'accept', content: {} }) }),
  })
  try {
    const proof = (await authorize?.(net, url, signal)) ?? { headers: async () => ({}) }
    const connection = await connections.open({ key: scenario, url, net: 'guarded', ...proof }, signal)
    await connection.listTools(signal)
    const [name, input] = CALLS[scenario] ?? []
    if (name) await connection.callTool(name, input ?? {}, { signal })
  } finally {
    await connections.close()
    await net.close()
  }
}

if (import.meta.main)
  await playScenario(process.env['MCP_CONFORMANCE_SCENARIO'] ?? '', process.argv.at(-1) ?? '')
