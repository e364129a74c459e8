import type { Config } from '#config'
import { fail } from '#errors'

/**
 * Refuses what a page of somebody else's has a browser send (Streamable HTTP, Security Warning: DNS rebinding); clients
 * that are no browsers name no origin. Throws mcp.foreign_origin.
 */
export function checkOrigin(
  origin: string | undefined,
  { baseUrl, frontendUrl, corsOrigins }: Pick<Config, 'baseUrl' | 'frontendUrl' | 'corsOrigins'>,
): void {
  if (origin === undefined) return
  const own = [baseUrl, frontendUrl].map((url) => new URL(url).origin)
  if (own.includes(origin) || corsOrigins.includes(origin)) return
  throw fail('mcp.foreign_origin', { origin: origin.slice(0, ORIGIN_CHARACTERS_MAX) })
}

const ORIGIN_CHARACTERS_MAX = 200
