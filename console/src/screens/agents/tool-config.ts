/** The configuration values of a tool, as in the API. A stored secret is null. */
type Config = readonly { name: string; value: unknown }[]

/** Returns a value as the text of its field. The server converts it to the tool's type. */
export function textOf(config: Config, name: string): string {
  const value = config.find((one) => one.name === name)?.value ?? ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Reports whether a secret is stored. The API never returns its value. */
export const isKeptSecret = (config: Config | undefined, name: string): boolean =>
  config?.some((one) => one.name === name && one.value === null) ?? false

/** Replaces a value in place. An empty text removes it, or keeps a stored secret. */
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
