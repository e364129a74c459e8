import type { Provider } from 'oidc-provider'
import { McpHttpServer } from '#platform/mcp/serve.ts'
import type { Services } from '#platform/services.ts'
import { repeat } from '#platform/sweeps/repeat.ts'
import type { Agents } from '../agents/index.ts'
import type { KnowledgeBases } from '../kb/index.ts'
import type { PaidCalls } from '../llm/index.ts'
import { AgentTools } from './agent-tools.ts'
import { createAuthorizationServer } from './authorization-server.ts'
import { Consent } from './consent.ts'
import { OAuthRecords } from './oauth-records-system.ts'
import type { McpCaller } from './open-caller.ts'
import { serverDefinition } from './server-definition.ts'

export { recordRetention } from './oauth-records-system.ts'
export { registerMcpServer } from './serve.ts'

const SWEEP_MS = 3_600_000

export interface McpServer {
  services: Services
  records: OAuthRecords
  consent: Consent
  /** Returns the handler for a caller's MCP requests. */
  answer(caller: McpCaller): ReturnType<McpHttpServer['handler']>
  /** Returns the authorization server, which is loaded on first use. */
  openProvider(): Promise<Provider>
  /** Starts the periodic sweep of expired grants. Returns a function that stops it. */
  startSweep(): () => void
}

/**
 * Serves `/mcp` for MCP clients: the organization's agents and knowledge bases as tools, its documents as resources,
 * and the caller's instructions as prompts.
 */
export function createMcpServer(
  services: Services,
  { agents, knowledge, calls }: { agents: Agents; knowledge: KnowledgeBases; calls: PaidCalls },
): McpServer {
  const { log } = services
  const records = new OAuthRecords(services)
  const agentTools = new AgentTools(agents, calls)
  const serving = new McpHttpServer(log)
  let provider: Promise<Provider> | undefined
  const openProvider = (): Promise<Provider> => (provider ??= createAuthorizationServer(services, records))
  return {
    services,
    records,
    consent: new Consent(services, records, openProvider),
    answer: (caller) => serving.handler(serverDefinition({ services, agentTools, knowledge }, caller)),
    openProvider,
    startSweep: () =>
      repeat(SWEEP_MS, () => records.sweep(), {
        name: 'OAuth grants',
        log,
        message: 'OAuth grant sweep failed',
      }),
  }
}
