/** What a tool is configured with, as the API shows and takes it: of a secret that is set, null. */
type Config = readonly { name: string; value: unknown }[]

/** A value as it stands in a field. The server reads it by the type that the tool asks for. */
export function textOf(config: Config, name: string): string {
  const value = config.find((one) => one.name === name)?.value ?? ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Whether a secret is set, which is never shown again. */
export const isKeptSecret = (config: Config | undefined, name: string): boolean =>
  config?.some((one) => one.name === name && one.value === null) ?? false

/** With another value, at its place. Without a text nothing is set, and a secret stays as it is. */
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
