/** The configuration values of a tool, in the format of the API. The value of a stored secret is null. */
type Config = readonly { name: string; value: unknown }[]

/** Returns a value as a string for its field. The server converts the string to the type that the tool declares. */
export function textOf(config: Config, name: string): string {
  const value = config.find((one) => one.name === name)?.value ?? ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns whether a secret is stored. The API returns null for a stored secret. */
export const isKeptSecret = (config: Config | undefined, name: string): boolean =>
  config?.some((one) => one.name === name && one.value === null) ?? false

/**
 * Replaces a value. An empty string removes the value. If `isKept` is true, an empty string keeps the stored secret.
 */
export function configWith(
  config: Config,
  name: string,
  text: string,
  isKept: boolean,
): { name: string; value: unknown }[] {
  const next = text !== '' ? { name, value: text } : isKept ? { name, value: null } : null
  if (next && !config.some((one) => one.name === name)) return [...config, next]
  return config.flatMap((one) => (one.name === name ? (next ?? []) : one))
}
