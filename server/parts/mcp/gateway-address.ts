import type { McpDependencies } from './dependencies.ts'

export const GATEWAY = '/api/mcp/gateway'
/** How long an address of the gateway is good for (contract, 8). */
const ADDRESS_SECONDS = 3_600
const PURPOSE = 'MCP gateway addresses'

/** What an address opens: an instance, while the session or API key that made the address lives. */
export interface GatewayLink {
  instanceId: string
  madeBy: { kind: 'session' | 'key'; id: string }
}

type Dependencies = Pick<McpDependencies, 'config' | 'secrets'>

/** Returns the address where any MCP client can use this instance for one hour. Anyone who has it can: it is a secret. */
export function gatewayAddress({ config, secrets }: Dependencies, link: GatewayLink): string {
  const expires = String(Math.floor(Date.now() / 1000) + ADDRESS_SECONDS)
  const query = new URLSearchParams({
    [link.madeBy.kind]: link.madeBy.id,
    expires,
    signature: secrets.sign(signedText(link, expires), PURPOSE),
  })
  return `${config.baseUrl}${GATEWAY}/${link.instanceId}?${query}`
}

/** What an address that was given out, and has not ended, opens; null: this is none. */
export function readGatewayAddress(
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
