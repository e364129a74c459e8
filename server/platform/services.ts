import type { Logger } from 'pino'
import type { Config } from '#config'
import type { Database } from '#database/connect.ts'
import type { AccessDependencies } from './access/access.ts'
import type { AccessTokens } from './access/access-tokens.ts'
import type { Documents } from './documents/documents.ts'
import type { Events } from './events/events.ts'
import type { Idempotency } from './idempotency/idempotency.ts'
import type { Instance } from './instance/instance.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { RateLimits } from './limits/rate-limits.ts'
import type { Mail } from './mail/mail.ts'
import type { Models } from './models/index.ts'
import type { Net } from './net/index.ts'
import type { Redis } from './redis/redis.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import type { Passwords } from './secrets/passwords.ts'
import type { Secrets } from './secrets/secrets.ts'
import type { Storage } from './storage/storage.ts'
import type { Uploads } from './storage/uploads.ts'
import type { SharedLogs } from './streams/shared-logs.ts'
import type { OwnedTables } from './tables/owned-tables.ts'
import type { Metrics } from './telemetry/metrics.ts'
import type { Tracing } from './telemetry/tracing.ts'

/** The shared services of the process, created once by main.ts or a test and passed to the parts. */
export interface Services {
  config: Config
  log: Logger
  /** Not accessible directly: statements go through a Scope or system-sql.ts (docs/security.md). */
  database: Database
  instance: Instance
  tokens: AccessTokens
  access: AccessDependencies
  /** Declarations of all tables. */
  tables: OwnedTables
  secrets: Secrets
  passwords: Passwords
  idempotency: Idempotency
  ledger: Ledger
  net: Net
  models: Models
  jobs: Jobs
  mail: Mail
  storage: Storage
  uploads: Uploads
  /** Shared by all processes; null without REDIS_URL. */
  redis: Redis | null
  rateLimits: RateLimits
  events: Events
  documents: Documents
  /** Runs tenants' code. */
  sandbox: Sandbox
  /** Streams that any process can follow; null without Redis. */
  sharedLogs: SharedLogs | null
  metrics: Metrics
  /** Null if tracing is off. */
  tracing: Tracing | null
}
