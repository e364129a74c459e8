import { resolve } from 'node:path'

/**
 * The server's configuration, read from the environment and validated at startup. The running server never reads
 * `process.env` elsewhere.
 */
export interface Config {
  /** The work of this process: `api` serves clients, `worker` works in the background, `all` does both. */
  role: 'all' | 'api' | 'worker'
  port: number
  host: string
  baseUrl: string
  /** The base URL of the console, used for links in email. */
  frontendUrl: string
  dataDir: string
  /** True if the server rebuilds a missing or outdated console at startup. If false, it serves the existing build. */
  consoleBuild: boolean
  /** The URL of PostgreSQL. Null for the embedded PostgreSQL in `dataDir`. */
  databaseUrl: string | null
  /** The URL of the same PostgreSQL without a connection pooler, for migrations. Null if `databaseUrl` has none. */
  databaseDirectUrl: string | null
  /** The URL of Redis. Null if the server runs as a single process, which needs no shared state. */
  redisUrl: string | null
  /** The secret that encrypts stored data. If null, the server generates a secret once and stores it in `dataDir`. */
  secret: string | null
  /** The previous secret. Data that it encrypted can still be decrypted. */
  secretPrevious: string | null
  /** The URL of the mail server. If null, email is saved in `dataDir`. */
  smtpUrl: string | null
  mailFrom: string
  /** True if saved email can be read at /dev/mail. */
  devMail: boolean
  /** The OpenID provider that users can sign in through. Null if there is none. */
  oidc: { issuer: string; clientId: string; clientSecret: string } | null
  /** The object storage for files. If null, files are stored in `dataDir`. */
  s3: {
    endpoint: string
    region: string
    bucket: string
    accessKeyId: string
    secretAccessKey: string
  } | null
  /** The maximum size of an uploaded file, in bytes. */
  maxUploadBytes: number
  adminEmail: string
  /** The administrator's password. If null, the server generates a random password and prints it once. */
  adminPassword: string | null
  signup: 'open' | 'invite'
  corsOrigins: string[]
  metricsToken: string | null
  providers: Record<KeyedProvider, { apiKey: string | null; baseUrl: string | null }>
  ollamaBaseUrl: string | null
  /**
   * The Composio account that provides MCP servers of the catalogue. If the key is null, those servers are
   * unavailable.
   */
  composio: { apiKey: string | null; baseUrl: string }
  /** The default models of the MCP playground. */
  playgroundModels: { discovery: string; direct: string }
  startingCredits: number
  /** The price of a credit as a decimal number, in a currency of ISO 4217. Null if responses show no costs. */
  creditPrice: { amount: string; currency: string } | null
  /** True allows connections to all private addresses. A list allows only the addresses in its CIDR blocks. */
  allowPrivateNetwork: boolean | string[]
  /** Maximum connections to one provider or other service. Null to derive it from the limit of open files. */
  serviceConnectionsMax: number | null
  /** The number of reverse proxies in front of the server, or their addresses. */
  trustProxy: false | number | string[]
  /** Maximum requests per IP address and per user; 0 means unlimited. */
  rateLimits: { ipPerMinute: number; userPerHour: number }
  /** Days for which operational records are kept; 0 keeps them forever. */
  retentionDays: { deliveries: number; jobs: number; invitations: number; audit: number }
  logLevel: LogLevel
  /** The base URL of the OTLP collector. If null, no traces are sent. */
  otlpEndpoint: string | null
}

/** The providers whose API key can be set in the environment (docs/configuration.md). */
const KEYED_PROVIDERS = {
  openai: 'OPENAI',
  anthropic: 'ANTHROPIC',
  google: 'GEMINI',
  deepseek: 'DEEPSEEK',
} as const
export type KeyedProvider = keyof typeof KEYED_PROVIDERS

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
type LogLevel = (typeof LOG_LEVELS)[number]

const COMPOSIO_BASE_URL = 'https://backend.composio.dev'
const SECRET_CHARACTERS_MIN = 32
const CONNECTIONS_PER_SERVICE_MAX = 50_000
const RATE_LIMIT_MAX = 1_000_000_000
const RETENTION_DAYS_MAX = 36_500
const LOOPBACK_HOSTS = ['127.0.0.1', '::1', 'localhost']

/** An environment variable has an invalid value. The message is one line that names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Reads the configuration from environment variables (docs/configuration.md). Throws a ConfigError for the first invalid
 * value.
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const env = new Environment(environment)
  const port = env.integer('PORT', 3000, 0, 65_535)
  const host = env.text('HOST') ?? '127.0.0.1'
  const databaseUrl = env.url('DATABASE_URL', ['postgres:', 'postgresql:'])
  const secret = env.text('SECRET')
  if (databaseUrl && !secret)
    throw new ConfigError(
      'SECRET is required when DATABASE_URL is set. Set it to a random string of at least 32 characters.',
    )
  if (secret && secret.length < SECRET_CHARACTERS_MIN)
    throw new ConfigError(`SECRET must have at least ${SECRET_CHARACTERS_MIN} characters.`)
  const baseUrl = env.url('BASE_URL', ['http:', 'https:']) ?? `http://localhost:${port}`
  return {
    role: readRole(env, databaseUrl),
    port,
    host,
    baseUrl,
    frontendUrl: env.url('FRONTEND_URL', ['http:', 'https:']) ?? baseUrl,
    dataDir: resolve(env.text('DATA_DIR') ?? './data'),
    consoleBuild: env.choice('CONSOLE_BUILD', ['0', '1']) !== '0',
    databaseUrl,
    databaseDirectUrl: readDirectUrl(env, databaseUrl),
    redisUrl: env.url('REDIS_URL', ['redis:', 'rediss:']),
    secret,
    secretPrevious: readPreviousSecret(env, secret),
    smtpUrl: env.url('SMTP_URL', ['smtp:', 'smtps:']),
    mailFrom: env.text('MAIL_FROM') ?? 'Parley <parley@localhost>',
    devMail: env.choice('DEV_MAIL', ['0', '1']) === '1',
    oidc: readOidc(env),
    s3: readS3(env),
    maxUploadBytes: env.integer('MAX_UPLOAD_BYTES', 50 * 1024 * 1024, 1, 5 * 1024 ** 3),
    adminEmail: env.email('ADMIN_EMAIL') ?? 'admin@localhost',
    adminPassword: env.password('ADMIN_PASSWORD'),
    signup: env.choice('SIGNUP', ['open', 'invite']) ?? (LOOPBACK_HOSTS.includes(host) ? 'open' : 'invite'),
    corsOrigins: env.list('CORS_ORIGINS'),
    metricsToken: env.text('METRICS_TOKEN'),
    providers: readProviders(env),
    ollamaBaseUrl: env.url('OLLAMA_BASE_URL', ['http:', 'https:']),
    composio: {
      apiKey: env.text('COMPOSIO_API_KEY'),
      baseUrl: env.url('COMPOSIO_BASE_URL', ['http:', 'https:']) ?? COMPOSIO_BASE_URL,
    },
    playgroundModels: {
      discovery: env.text('PLAYGROUND_DISCOVERY_MODEL') ?? 'deepseek-chat',
      direct: env.text('PLAYGROUND_DIRECT_MODEL') ?? 'gemini-2.5-flash',
    },
    startingCredits: env.integer('STARTING_CREDITS', 1_000_000, 0, 1e15),
    creditPrice: readCreditPrice(env),
    allowPrivateNetwork: env.booleanOrBlocks('ALLOW_PRIVATE_NETWORK'),
    serviceConnectionsMax:
      env.integer('CONNECTIONS_PER_SERVICE_MAX', 0, 0, CONNECTIONS_PER_SERVICE_MAX) || null,
    trustProxy: env.hopsOrBlocks('TRUST_PROXY'),
    rateLimits: {
      ipPerMinute: env.integer('RATE_LIMIT_IP_PER_MINUTE', 100, 0, RATE_LIMIT_MAX),
      userPerHour: env.integer('RATE_LIMIT_USER_PER_HOUR', 1_000, 0, RATE_LIMIT_MAX),
    },
    retentionDays: {
      deliveries: env.integer('RETENTION_DELIVERIES_DAYS', 30, 0, RETENTION_DAYS_MAX),
      jobs: env.integer('RETENTION_JOBS_DAYS', 7, 1, RETENTION_DAYS_MAX),
      invitations: env.integer('RETENTION_INVITATIONS_DAYS', 90, 0, RETENTION_DAYS_MAX),
      audit: env.integer('RETENTION_AUDIT_DAYS', 0, 0, RETENTION_DAYS_MAX),
    },
    logLevel: env.choice('LOG_LEVEL', LOG_LEVELS) ?? 'info',
    otlpEndpoint: env.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']),
  }
}

/** Returns the settings as lines of text with secrets hidden, for `parley config`. */
export function describeConfig(config: Config): string[] {
  return Object.entries(config).flatMap(([name, value]) => {
    if (name === 'oidc')
      return [
        `oidc: ${config.oidc ? `${withoutPassword(config.oidc.issuer)}, client ${config.oidc.clientId}` : '(none)'}`,
      ]
    if (name === 's3')
      return [`s3: ${config.s3 ? `${withoutPassword(config.s3.endpoint)}/${config.s3.bucket}` : '(none)'}`]
    if (name === 'composio')
      return [
        `composio: ${config.composio.apiKey ? 'key set' : 'no key'}, ${withoutPassword(config.composio.baseUrl)}`,
      ]
    if (name === 'creditPrice' && config.creditPrice)
      return [`creditPrice: ${config.creditPrice.amount} ${config.creditPrice.currency}`]
    if (name !== 'providers') return [`${name}: ${describeValue(name, value)}`]
    return Object.entries(config.providers).map(
      ([provider, { apiKey, baseUrl }]) =>
        `${provider}: ${apiKey ? 'key set' : 'no key'}${baseUrl ? `, ${withoutPassword(baseUrl)}` : ''}`,
    )
  })
}

function describeValue(name: string, value: unknown): string {
  if (value === null) return '(none)'
  if (['secret', 'secretPrevious', 'adminPassword', 'metricsToken'].includes(name)) return '(set, hidden)'
  return withoutPassword(typeof value === 'string' ? value : JSON.stringify(value))
}

/**
 * Hides the password and the secret parameters of a URL. Some clients accept passwords with characters such as `@`, `/`
 * and `?`, so everything up to the last `@` is hidden.
 */
const withoutPassword = (text: string): string =>
  text
    .replace(/(:\/\/[^:@/?#]*):.*@/s, '$1:(hidden)@')
    .replace(/([?&][^=&#]*(?:pass|secret|token|key)[^=&#]*=)[^&#]*/gi, '$1(hidden)')

function readDirectUrl(env: Environment, databaseUrl: string | null): string | null {
  const url = env.url('DATABASE_DIRECT_URL', ['postgres:', 'postgresql:'])
  if (url !== null && databaseUrl === null)
    throw new ConfigError(
      'DATABASE_DIRECT_URL requires DATABASE_URL. Set DATABASE_URL to the address of the pooler.',
    )
  return url
}

function readRole(env: Environment, databaseUrl: string | null): Config['role'] {
  const role = env.choice('ROLE', ['all', 'api', 'worker']) ?? 'all'
  if (role !== 'all' && databaseUrl === null)
    throw new ConfigError(
      `ROLE=${role} requires DATABASE_URL, because only one process can use the embedded database. Set DATABASE_URL, or remove ROLE.`,
    )
  return role
}

function readPreviousSecret(env: Environment, secret: string | null): string | null {
  const previous = env.text('SECRET_PREVIOUS')
  if (previous === null) return null
  if (secret === null) throw new ConfigError('SECRET_PREVIOUS requires SECRET. Set SECRET to the new secret.')
  if (previous.length < SECRET_CHARACTERS_MIN)
    throw new ConfigError(`SECRET_PREVIOUS must have at least ${SECRET_CHARACTERS_MIN} characters.`)
  if (previous === secret) throw new ConfigError('SECRET_PREVIOUS must differ from SECRET.')
  return previous
}

function readCreditPrice(env: Environment): Config['creditPrice'] {
  const text = env.text('CREDIT_PRICE')
  if (text === null) return null
  const [, amount = '', currency = ''] = /^(\d{1,9}(?:\.\d{1,12})?) ([A-Z]{3})$/.exec(text) ?? []
  if (!/[1-9]/.test(amount) || !Intl.supportedValuesOf('currency').includes(currency))
    throw new ConfigError(
      'CREDIT_PRICE must be a positive decimal number and a currency of ISO 4217, such as "0.000002 EUR".',
    )
  return { amount, currency }
}

function readOidc(env: Environment): Config['oidc'] {
  const issuer = env.url('OIDC_ISSUER', ['http:', 'https:'])
  const [clientId, clientSecret] = [env.text('OIDC_CLIENT_ID'), env.text('OIDC_CLIENT_SECRET')]
  if (issuer !== null && clientId !== null && clientSecret !== null) return { issuer, clientId, clientSecret }
  if (issuer !== null || clientId !== null || clientSecret !== null)
    throw new ConfigError('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together.')
  return null
}

const S3_VARIABLES = ['S3_ENDPOINT', 'S3_REGION', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']

/** Reads the object storage settings. The default endpoint is Amazon S3 in the configured region. */
function readS3(env: Environment): Config['s3'] {
  const bucket = env.text('S3_BUCKET')
  const [accessKeyId, secretAccessKey] = [env.text('S3_ACCESS_KEY_ID'), env.text('S3_SECRET_ACCESS_KEY')]
  const region = env.text('S3_REGION') ?? 'us-east-1'
  const endpoint = env.url('S3_ENDPOINT', ['http:', 'https:']) ?? `https://s3.${region}.amazonaws.com`
  if (bucket !== null && accessKeyId !== null && secretAccessKey !== null)
    return { endpoint, region, bucket, accessKeyId, secretAccessKey }
  if (S3_VARIABLES.some((name) => env.text(name) !== null))
    throw new ConfigError('S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set together.')
  return null
}

function readProviders(env: Environment): Config['providers'] {
  const entries = Object.entries(KEYED_PROVIDERS).map(([provider, name]) => [
    provider,
    { apiKey: env.text(`${name}_API_KEY`), baseUrl: env.url(`${name}_BASE_URL`, ['http:', 'https:']) },
  ])
  return Object.fromEntries(entries) as Config['providers']
}

/** Reads environment variables by type. An empty variable counts as unset. */
class Environment {
  readonly #values: NodeJS.ProcessEnv
  constructor(values: NodeJS.ProcessEnv) {
    this.#values = values
  }

  text(name: string): string | null {
    return this.#values[name]?.trim() || null
  }

  list(name: string): string[] {
    return (this.text(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean)
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.text(name)
    if (text === null) return fallback
    const value = Number(text)
    if (!Number.isInteger(value) || value < min || value > max)
      throw new ConfigError(`${name} must be a whole number from ${min} to ${max}.`)
    return value
  }

  choice<const T extends readonly string[]>(name: string, choices: T): T[number] | null {
    const text = this.text(name)
    if (text !== null && !choices.includes(text))
      throw new ConfigError(`${name} must be one of: ${choices.join(', ')}.`)
    return text
  }

  url(name: string, protocols: string[]): string | null {
    const text = this.text(name)
    if (text === null) return null
    if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol))
      throw new ConfigError(`${name} must be a URL that starts with ${protocols.join('// or ')}//.`)
    return text.replace(/\/+$/, '')
  }

  email(name: string): string | null {
    const text = this.text(name)
    if (text !== null && !/^[^\s@]+@[^\s@]+$/.test(text))
      throw new ConfigError(`${name} must be an email address.`)
    return text?.toLowerCase() ?? null
  }

  password(name: string): string | null {
    const text = this.#values[name] || null
    if (text !== null && (text.length < 8 || text.length > 128))
      throw new ConfigError(`${name} must have 8 to 128 characters.`)
    return text
  }

  booleanOrBlocks(name: string): boolean | string[] {
    const text = this.text(name)
    if (text === null || text === 'false') return false
    return text === 'true' ? true : this.#blocks(name, 'true, false')
  }

  hopsOrBlocks(name: string): false | number | string[] {
    const text = this.text(name)
    if (text === null || text === 'false') return false
    return /^\d+$/.test(text)
      ? this.integer(name, 0, 0, 32) || false
      : this.#blocks(name, 'false, a number of proxies')
  }

  /** @param alternatives the other values that the variable accepts */
  #blocks(name: string, alternatives: string): string[] {
    const blocks = this.list(name)
    const wrong = blocks.find((block) => !/^[\da-f:.]+(\/\d{1,3})?$/i.test(block))
    if (wrong)
      throw new ConfigError(
        `${name} must be ${alternatives}, or CIDR blocks such as 10.0.0.0/8 separated by commas. "${wrong}" is none of these.`,
      )
    return blocks
  }
}
