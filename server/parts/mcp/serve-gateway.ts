import type { FastifyInstance } from 'fastify'
import { UUID } from '#database/new-id.ts'
import { fail } from '#errors'
import { answerByFetch } from '#platform/http/answer-by-fetch.ts'
import { BODY, bodyOptions } from '#platform/http/body-limits.ts'
import { clientOf } from '#platform/http/register-routes.ts'
import { checkOrigin } from '#platform/mcp/check-sender.ts'
import type { McpConnection } from '#platform/mcp/connection.ts'
import { ANSWER_MS_MAX } from '#platform/mcp/exchange.ts'
import { McpHttpServer } from '#platform/mcp/serve.ts'
import type { CallToolResult, McpServerDefinition } from '#platform/mcp/server-definition.ts'
import type { McpDependencies } from './dependencies.ts'
import type { InstanceFinder, ReadyInstance } from './find-instances.ts'
import { GATEWAY, readGatewayAddress } from './gateway-address.ts'
import { noteNeededScope } from './wider-scope.ts'

export interface Gateway {
  deps: McpDependencies
  finder: InstanceFinder
}

/**
 * The gateway (contract, 8): any MCP client that has an address of generate_url speaks with the server of an instance
 * through it, and the account's token is added on the way. Address, instance, membership and rights are looked at for
 * each request, so that what has ended is refused at once, by every process.
 */
export function registerGateway(http: FastifyInstance, { deps, finder }: Gateway): void {
  const serving = new McpHttpServer(deps.log)
  http.route<{ Params: { instance: string }; Querystring: Record<string, unknown> }>({
    // All but POST is 405: there are no sessions, and nothing is said unasked.
    method: ['POST', 'GET', 'DELETE', 'PUT', 'PATCH'],
    url: `${GATEWAY}/:instance`,
    ...bodyOptions(BODY),
    async handler(request, reply) {
      checkOrigin(deps.config, request.headers)
      const { instance: id } = request.params
      const link = UUID.test(id) ? readGatewayAddress(deps, id, request.query) : null
      if (link === null) throw fail('mcp.link_invalid')
      const instance = await finder.findLinked(link)
      if (instance === null) throw fail('mcp.instance_not_found')
      await clientOf(request).admit?.(instance.userId)
      await answerByFetch(request, reply, deps.config.baseUrl, serving.handler(definitionOf(deps, instance)))
    },
  })
}

/** What the instance's server has. */
function definitionOf(
  deps: McpDependencies,
  { id, serverName, endpoint }: ReadyInstance,
): McpServerDefinition {
  const open = (signal: AbortSignal): Promise<McpConnection> => deps.connections.open(endpoint, signal)
  return {
    key: id,
    name: serverName,
    capabilities: async (signal) => (await open(signal)).capabilities,
    tools: async (signal) =>
      (await (await open(signal)).listTools(signal)).tools.map((tool) => ({ ...tool })),
    async callTool(name, input, { signal, onProgress }) {
      const options = { signal, onProgress, timeoutMs: ANSWER_MS_MAX }
      try {
        const { raw } = await (await open(signal)).callTool(name, input, options)
        return raw as CallToolResult
      } catch (error) {
        noteNeededScope(deps, id, error)
        throw error
      }
    },
    request: async (method, params, signal) =>
      (await (await open(signal)).request(method, params, signal)) as Record<string, unknown>,
  }
}
