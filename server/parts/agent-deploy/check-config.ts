import type { DeploymentConfig } from '#database/schema/agent-deploy.ts'
import { fail, sentence } from '#errors'
import type { Config, DeploymentRow } from './schemas.ts'

/**
 * Validates a deployment's configuration and normalizes its origins. Throws deployment.config_invalid with a message
 * that names the field. The returned values are safe to insert into a header (Content-Security-Policy) or a style.
 */
export function checkConfig(type: DeploymentRow['deploymentType'], config: Config): DeploymentConfig {
  const { theme, branding, allowed_origins: origins, widget_placement: placement } = config
  if (theme?.primary_color !== undefined && !COLOR.test(theme.primary_color))
    throw invalid(sentence('deployment.color'))
  if (theme?.font_family !== undefined && !isFontFamily(theme.font_family))
    throw invalid(sentence('deployment.font'))
  if (branding?.logo_url !== undefined && !isLogo(branding.logo_url))
    throw invalid(sentence('deployment.logo'))
  if (placement !== undefined && type !== 'widget') throw invalid(sentence('deployment.placement', { type }))
  if (origins !== undefined && type === 'api') throw invalid(sentence('deployment.origins'))
  return { ...config, ...(origins && { allowed_origins: [...new Set(origins.map(checkOrigin))] }) }
}

const invalid = (reason: string) => fail('deployment.config_invalid', { reason })

const COLOR = /^#[\da-f]{6}$/i
const FONT = /^(?:"[\p{L}\p{N}_ -]+"|'[\p{L}\p{N}_ -]+'|[\p{L}\p{N}_ -]+)$/u
const isFontFamily = (names: string): boolean => names.split(',').every((name) => FONT.test(name.trim()))

/**
 * Matches a host name or IPv6 address. URL parsers also accept hosts that are unsafe in a header, such as
 * `a.example;x`.
 */
const HOST = /^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])$/
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Parses an HTTPS URL, or an HTTP URL with a loopback host. Returns null for any other address. */
function parseAddress(address: string): URL | null {
  const url = /^https?:\/\/[^\s\\]+$/i.test(address) ? URL.parse(address) : null
  if (!url || !HOST.test(url.hostname) || url.username !== '' || url.password !== '') return null
  return url.protocol === 'https:' || LOOPBACK.test(url.hostname) ? url : null
}

const isLogo = (address: string): boolean => parseAddress(address) !== null

function checkOrigin(text: string): string {
  const url = parseAddress(text)
  const hasMore = /^[^/]*\/\/[^/?#]*[/?#]/.test(text)
  if (!url || hasMore)
    throw invalid(sentence('deployment.origin', { origin: JSON.stringify(text.slice(0, SHOWN_CHARACTERS)) }))
  return url.origin
}

/** Maximum length of a rejected value in an error message. */
const SHOWN_CHARACTERS = 100
