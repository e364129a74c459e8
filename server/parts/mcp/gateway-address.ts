import { sameText } from '#platform/secrets/secrets.ts'
import type { McpDesk } from './desk.ts'

export const GATEWAY = '/api/mcp/gateway'
/** How long an address of the gateway is good for (contract, 8). */
const ADDRESS_SECONDS = 3_600
const PURPOSE = 'MCP gateway addresses'

/** What an address opens: an instance, for as long as the API key lives that it was asked for with, if it was one. */
export interface GatewayLink {
  instanceId: string
  apiKeyId: string | null
}

type Desk = Pick<McpDesk, 'config' | 'secrets'>

/** Where any MCP client uses this instance for an hour from now. Who has the address can: it is a secret. */
export function gatewayAddress({ config, secrets }: Desk, link: GatewayLink): string {
  const expires = String(Math.floor(Date.now() / 1000) + ADDRESS_SECONDS)
  const query = new URLSearchParams({
    ...(link.apiKeyId !== null && { key: link.apiKeyId }),
    expires,
    signature: secrets.sign(signedText(link, expires), PURPOSE),
  })
  return `${config.baseUrl}${GATEWAY}/${link.instanceId}?${query}`
}

/** What an address that was given out, and has not ended, opens; null: this is none. */
export function readGatewayAddress(
  { secrets }: Pick<Desk, 'secrets'>,
  instanceId: string,
  { key, expires, signature }: Record<string, unknown>,
): GatewayLink | null {
  if (typeof expires !== 'string' || typeof signature !== 'string') return null
  if (key !== undefined && typeof key !== 'string') return null
  const link = { instanceId, apiKeyId: key ?? null }
  const isGood =
    sameText(signature, secrets.sign(signedText(link, expires), PURPOSE)) &&
    Number(expires) * 1000 > Date.now()
  return isGood ? link : null
}

const signedText = ({ instanceId, apiKeyId }: GatewayLink, expires: string): string =>
  `${expires}\n${instanceId}\n${apiKeyId ?? ''}`
