import type { ParameterDescriptor } from '#database/schema/tools.ts'
import { sentence } from '#errors'
import type { Secrets } from '#platform/secrets/secrets.ts'
import { defaultOf, isOfType, parseValue, TYPE_WORDS } from './parameter-values.ts'

export interface ToolConfig {
  values: Record<string, unknown>
  /**
   * Names of values that were secret when they were set. These values stay secret even if the tool changes its
   * declaration.
   */
  secrets: string[]
}

export const NO_CONFIG: ToolConfig = { values: {}, secrets: [] }

export const sealConfig = (
  secrets: Pick<Secrets, 'encrypt'>,
  agentId: string,
  toolId: string,
  config: ToolConfig,
): string => secrets.encrypt(JSON.stringify(config), `${agentId}/${toolId}`)

export const openConfig = (
  secrets: Pick<Secrets, 'decrypt'>,
  agentId: string,
  toolId: string,
  sealed: string,
): ToolConfig => JSON.parse(secrets.decrypt(sealed, `${agentId}/${toolId}`)) as ToolConfig

/**
 * Maximum length of a tool's secrets together, as JSON. Everything that the tool returns is searched for them.
 * @limit all secrets in the configuration of a tool as JSON
 */
const SECRET_CHARACTERS_MAX = 8_000
/** Maximum length of a tool's configuration as JSON, in characters. @limit configuration of a tool as JSON */
const CONFIG_CHARACTERS_MAX = 64 * 1024

/**
 * Validates a configuration. Each value must be declared by the tool, given at most once, and of the declared type or
 * a string that parses to that type. Null counts as omitted. An omitted secret keeps its value in `existing`. Returns
 * an error sentence if the configuration is invalid.
 */
export function readConfig(
  descriptors: readonly ParameterDescriptor[],
  given: readonly { name: string; value: unknown }[],
  existing: ToolConfig,
): ToolConfig | { error: string } {
  const names = given.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) return { error: `${twice} occurs twice. Remove one of the values.` }
  const unknown = names.find((name) => !descriptors.some((descriptor) => descriptor.name === name))
  if (unknown !== undefined)
    return { error: `the tool has no configuration value named ${unknown}. Remove it.` }
  const values = new Map<string, unknown>()
  for (const descriptor of descriptors) {
    const { name, type } = descriptor
    const value = given.find((one) => one.name === name)?.value ?? null
    const typed = readValue(type, value)
    if (value !== null && typed === undefined) return { error: `${name} must be ${TYPE_WORDS[type]}.` }
    if (value !== null) values.set(name, typed)
    else if (
      isSecret(descriptor, existing) &&
      Object.hasOwn(existing.values, name) &&
      isOfType(type, existing.values[name])
    )
      values.set(name, existing.values[name])
  }
  const missing = findMissing(descriptors, values)
  if (missing !== undefined) return { error: `${missing} is required.` }
  const secrets = descriptors
    .filter((one) => values.has(one.name) && isSecret(one, existing))
    .map(({ name }) => name)
  const length = secrets.reduce((sum, name) => sum + JSON.stringify(values.get(name)).length, 0)
  if (length > SECRET_CHARACTERS_MAX)
    return {
      error: `the secrets have ${length} characters together, and ${SECRET_CHARACTERS_MAX} is the limit. Shorten them.`,
    }
  const config = { values: Object.fromEntries(values), secrets }
  return JSON.stringify(config).length > CONFIG_CHARACTERS_MAX
    ? { error: sentence('tool.config_too_large', { limit: CONFIG_CHARACTERS_MAX }) }
    : config
}

/** True if the tool declares the value as secret, or declared it as secret when the value was set. */
export const isSecret = (
  { name, secret }: Pick<ParameterDescriptor, 'name' | 'secret'>,
  { secrets }: ToolConfig,
): boolean => secret === true || secrets.includes(name)

const readValue = (type: ParameterDescriptor['type'], value: unknown): unknown => {
  if (isOfType(type, value)) return value
  return typeof value === 'string' ? parseValue(type, value) : undefined
}

const findMissing = (
  descriptors: readonly ParameterDescriptor[],
  values: ReadonlyMap<string, unknown>,
): string | undefined =>
  descriptors.find((one) => one.required && one.default === null && !values.has(one.name))?.name

/** The values that code gets, and those of all secrets; or why the tool cannot run. */
export type ConfigNow = { values: Record<string, unknown>; secrets: unknown[] } | { error: string }

/**
 * Returns the effective configuration: stored values that still have the declared type, and defaults for the rest.
 * Also returns the values of all secrets. Returns an error sentence if a required value is missing.
 */
export function configNow(descriptors: readonly ParameterDescriptor[], config: ToolConfig): ConfigNow {
  const now = new Map<string, unknown>()
  for (const descriptor of descriptors) {
    const { name, type } = descriptor
    const value = Object.hasOwn(config.values, name) ? config.values[name] : undefined
    const counts = isOfType(type, value) ? value : defaultOf(descriptor)
    if (counts !== undefined) now.set(name, counts)
  }
  const missing = findMissing(descriptors, now)
  if (missing !== undefined) return { error: sentence('tool.not_configured', { name: missing }) }
  const secrets = Object.entries(config.values).filter(([name]) =>
    isSecret({ name, secret: descriptors.some((one) => one.secret && one.name === name) }, config),
  )
  return { values: Object.fromEntries(now), secrets: secrets.map(([, value]) => value) }
}
