import {
  type McpConnection,
  McpConnections,
  type McpEndpoint,
  type McpTool,
} from '#platform/mcp/connection.ts'
import { listResources } from '#platform/mcp/read-resources.ts'
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

type ToolCall = [name: string, input: Record<string, unknown>]

/** The tool calls that each scenario expects. */
const CALLS: Record<string, ToolCall[]> = {
  tools_call: [['add_numbers', { a: 5, b: 3 }]],
  'sse-retry': [['test_reconnection', {}]],
  'elicitation-sep1034-client-defaults': [['test_client_elicitation_defaults', {}]],
}
/** Scenarios that expect a call of each listed tool, or the calls in their context. */
const CALLS_ALL = [
  'http-standard-headers',
  'http-custom-headers',
  'http-invalid-tool-headers',
  'json-schema-2020-12-preservation',
  'sep-2322-client-request-state',
]
const SCENARIO_TIMEOUT_MS = 60_000

/** Connects, lists the tools, and makes the tool calls that the scenario expects. */
export async function playScenario(scenario: string, url: string, authorize?: Authorize): Promise<void> {
  const signal = AbortSignal.timeout(SCENARIO_TIMEOUT_MS)
  const net = createNet({ allowPrivateNetwork: ['127.0.0.0/8', '::1/128'] })
  const connections = new McpConnections(net, createLog({ logLevel: 'silent' }), {
    ...(/^elicitation|request-state$/.test(scenario) && {
      elicit: async () => ({ action: 'accept', content: {} }),
    }),
  })
  try {
    const proof = (await authorize?.(net, url, signal)) ?? { headers: async () => ({}) }
    const connection = await connections.open({ key: scenario, url, net: 'guarded', ...proof }, signal)
    const { tools } = await connection.listTools(signal)
    for (const [name, input] of CALLS[scenario] ?? (CALLS_ALL.includes(scenario) ? callsOf(tools) : []))
      await connection.callTool(name, input, { signal })
    if (scenario === 'http-standard-headers') await readAll(connection, signal)
  } finally {
    await connections.close()
    await net.close()
  }
}

/** Returns the calls in the scenario's context, or else a call of each listed tool. */
function callsOf(tools: McpTool[]): ToolCall[] {
  const { toolCalls } = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}')
  if (toolCalls)
    return toolCalls.map((call: { name: string; arguments: ToolCall[1] }) => [call.name, call.arguments])
  // One scenario expects that a tool gets the schema of another tool.
  const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema
  return tools.map(({ name }) => [name, schema ? { schema } : { region: 'north' }])
}

/** Reads the first resource and the first prompt. */
async function readAll(connection: McpConnection, signal: AbortSignal): Promise<void> {
  const [resource] = await listResources(connection, signal)
  await connection.request('resources/read', { uri: resource?.uri }, signal)
  const { prompts } = (await connection.request('prompts/list', {}, signal)) as {
    prompts: { name: string }[]
  }
  await connection.request('prompts/get', { name: prompts[0]?.name }, signal)
}

if (import.meta.main)
  await playScenario(process.env['MCP_CONFORMANCE_SCENARIO'] ?? '', process.argv.at(-1) ?? '')
