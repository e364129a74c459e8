import type { FastifyInstance } from 'fastify'
import { UUID } from '#database/new-id.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { answerByFetch } from '#platform/http/answer-by-fetch.ts'
import { BODY, bodyOptions } from '#platform/http/body-limits.ts'
import { clientOf } from '#platform/http/register-routes.ts'
import { takeTurn } from '#platform/http/take-turn.ts'
import { checkOrigin } from '#platform/mcp/check-sender.ts'
import type { McpConnection } from '#platform/mcp/connection.ts'
import { ANSWER_MS_MAX } from '#platform/mcp/exchange.ts'
import { McpHttpServer } from '#platform/mcp/serve.ts'
import type { CallToolResult, McpServerDefinition } from '#platform/mcp/server-definition.ts'
import { setOrganization } from '#platform/telemetry/running.ts'
import { noteNeededScope } from './credentials.ts'
import type { McpDependencies } from './dependencies.ts'
import { type InstanceFinder, organizationOf, type ReadyInstance } from './instances-system.ts'
import type { GatewayUrl, UrlRequest } from './schemas.ts'

/**
 * Returns a gateway URL for an account that the caller has connected, in any organization where the caller has
 * mcp:write. Throws access.missing_permission, mcp.no_attempt, and mcp.instance_inactive if the instance is pending
 * or inactive.
 */
export async function generateUrl(
  deps: McpDependencies,
  scopes: Scope<'mcp:write'>[],
  { server_id: serverId, session_id: instanceId }: UrlRequest,
): Promise<GatewayUrl> {
  if (scopes.length === 0) throw fail('access.missing_permission', { permission: 'mcp:write' })
  const organizationId = await organizationOf(deps.database, instanceId)
  const scope = scopes.find((each) => each.organizationId === organizationId)
  if (!scope) throw fail('mcp.no_attempt')
  const [instance] = await scope.sql<{ status: string }[]>`
    select i.status from mcp_instances i join mcp_servers s on s.id = i.server_id and not s.is_deleted
    where i.id = ${instanceId} and i.server_id = ${serverId} and i.user_id = ${scope.userId}
      and i.organization_id = ${scope.organizationId}`
  if (!instance) throw fail('mcp.no_attempt')
  if (instance.status !== 'active') throw fail('mcp.instance_inactive')
  return { mcp_url: gatewayAddress(deps, { instanceId, madeBy: makerOf(scope) }), status: 'active' }
}

function makerOf({ sessionId, apiKeyId }: Scope<'mcp:write'>): GatewayLink['madeBy'] {
  if (apiKeyId !== null) return { kind: 'key', id: apiKeyId }
  if (sessionId === null) throw new Error('a caller with neither a session nor an API key')
  return { kind: 'session', id: sessionId }
}

const GATEWAY = '/api/mcp/gateway'
/** Lifetime of a gateway URL, in seconds (docs/mcp.md). */
const ADDRESS_SECONDS = 3_600
const PURPOSE = 'MCP gateway addresses'

/** Content of a gateway URL. The URL is valid only while the session or API key that created it is live. */
export interface GatewayLink {
  instanceId: string
  madeBy: { kind: 'session' | 'key'; id: string }
}

type Dependencies = Pick<McpDependencies, 'config' | 'secrets'>

/** Returns a URL that lets any MCP client use this instance for one hour. The URL is a secret. */
function gatewayAddress({ config, secrets }: Dependencies, link: GatewayLink): string {
  const expires = String(Math.floor(Date.now() / 1000) + ADDRESS_SECONDS)
  const query = new URLSearchParams({
    [link.madeBy.kind]: link.madeBy.id,
    expires,
    signature: secrets.sign(signedText(link, expires), PURPOSE),
  })
  return `${config.baseUrl}${GATEWAY}/${link.instanceId}?${query}`
}

/** Reads a gateway URL. Returns null if the signature is wrong or the URL has expired. */
function readGatewayAddress(
  { secrets }: Pick<Dependencies, 'secrets'>,
  instanceId: string,
  { key, session, expires, signature }: Record<string, unknown>,
): GatewayLink | null {
  if (typeof expires !== 'string' || typeof signature !== 'string') return null
  const kind = key === undefined ? 'session' : 'key'
  const id = key ?? session
  if (typeof id !== 'string' || (key !== undefined && session !== undefined)) return null
  const link: GatewayLink = { instanceId, madeBy: { kind, id } }
  const isGood =
    secrets.isSigned(signedText(link, expires), PURPOSE, signature) && Number(expires) * 1000 > Date.now()
  return isGood ? link : null
}

const signedText = ({ instanceId, madeBy }: GatewayLink, expires: string): string =>
  `${expires}\n${instanceId}\n${madeBy.kind} ${madeBy.id}`

export interface Gateway {
  deps: McpDependencies
  finder: InstanceFinder
}

/**
 * Serves the gateway (docs/mcp.md). Any MCP client with a URL from generate_url can call the instance's server
 * through the gateway, which adds the account's credentials. Each request checks the URL, instance, membership and
 * permission, so a revocation takes effect with the next request in every process.
 */
export function registerGateway(http: FastifyInstance, { deps, finder }: Gateway): void {
  const serving = new McpHttpServer(deps.log)
  http.route<{ Params: { instance: string }; Querystring: Record<string, unknown> }>({
    // All methods except POST get 405, because the gateway has no sessions and sends no notifications.
    method: ['POST', 'GET', 'DELETE', 'PUT', 'PATCH'],
    url: `${GATEWAY}/:instance`,
    ...bodyOptions({ ...BODY, keepsDigits: true }, true),
    async handler(request, reply) {
      checkOrigin(deps.config, request.headers)
      const { instance: id } = request.params
      const link = UUID.test(id) ? readGatewayAddress(deps, id, request.query) : null
      if (link === null) throw fail('mcp.link_invalid')
      const instance = await finder.findLinked(link)
      if (instance === null) throw fail('mcp.instance_not_found', { value: id })
      await clientOf(request).admit?.(instance.userId)
      setOrganization(instance.organizationId)
      await takeTurn(deps.stalls, request, reply)
      await answerByFetch(request, reply, deps.config.baseUrl, serving.handler(definitionOf(deps, instance)))
    },
  })
}

/** Defines an MCP server that forwards all requests to the instance's server. */
function definitionOf(deps: McpDependencies, instance: ReadyInstance): McpServerDefinition {
  const { id, serverName, endpoint } = instance
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
        noteNeededScope(deps, instance, error)
        throw error
      }
    },
    request: async (method, params, signal) =>
      (await (await open(signal)).request(method, params, signal)) as Record<string, unknown>,
  }
}
