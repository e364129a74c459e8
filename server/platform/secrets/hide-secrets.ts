import type { Config } from '#config'

/** Shorter values are placeholders. Replacing them everywhere would make messages unreadable. */
const SECRET_CHARACTERS_MIN = 4

/** Returns a function that replaces every secret of the configuration in a text. */
export function hideSecrets(config: Config): (text: string) => string {
  const urls = [
    config.databaseUrl,
    config.redisUrl,
    config.smtpUrl,
    config.otlpEndpoint,
    config.ollamaBaseUrl,
  ]
  const passwords = urls.flatMap((url) => {
    // Clients read a URL that `URL` refuses in their own ways.
    const password = url === null ? '' : (/:\/\/[^:@/?#]*:(.*)@/s.exec(url)?.[1] ?? '')
    const { password: parsed = '' } = (url !== null && URL.parse(url)) || {}
    return [password, decode(password), parsed, decode(parsed)]
  })
  const secrets = [
    ...[config.secret, config.secretPrevious, config.adminPassword, config.metricsToken],
    ...[config.oidc?.clientSecret, config.s3?.secretAccessKey, config.composio.apiKey],
    ...Object.values(config.providers).map(({ apiKey }) => apiKey),
    ...passwords,
  ]
  const known = secrets
    .filter((secret): secret is string => (secret ?? '').length >= SECRET_CHARACTERS_MIN)
    .sort((a, b) => b.length - a.length)
  return (text) => known.reduce((hidden, secret) => hidden.replaceAll(secret, '***'), text)
}

function decode(password: string): string {
  try {
    return decodeURIComponent(password)
  } catch {
    return password
  }
}
