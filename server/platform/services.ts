import type { Logger } from 'pino'
import type { Config } from '#config'
import type { Database } from '#database/connect.ts'
import type { AccessDependencies } from './access/access.ts'
import type { AccessTokens } from './access/access-tokens.ts'
import type { Documents } from './documents/documents.ts'
import type { Events } from './events/events.ts'
import type { Draining } from './http/draining.ts'
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
import type { Disks } from './storage/disks.ts'
import type { Storage } from './storage/storage.ts'
import type { Uploads } from './storage/uploads.ts'
import type { SharedLogs } from './streams/shared-logs.ts'
import type { Pacer } from './sweeps/pacer.ts'
import type { Sweeps } from './sweeps/sweeps.ts'
import type { OwnedTables } from './tables/owned-tables.ts'
import type { Metrics } from './telemetry/metrics.ts'
import type { Stalls } from './telemetry/stalls.ts'
import type { Tracing } from './telemetry/tracing.ts'

/** The shared services of a process. main.ts or a test creates them once and passes them to the parts. */
export interface Services {
  config: Config
  log: Logger
  /** Opaque: statements run only through a Scope or system-sql.ts (docs/security.md). */
  database: Database
  instance: Instance
  draining: Draining
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
  /** Looks for work of the background, at intervals. */
  sweeps: Sweeps
  /** Delays background work while replies run. */
  pacer: Pacer
  jobs: Jobs
  mail: Mail
  storage: Storage
  /** The free space of the file systems that this process writes to. */
  disks: Disks
  uploads: Uploads
  /** The Redis server shared by all processes. Null without REDIS_URL. */
  redis: Redis | null
  rateLimits: RateLimits
  events: Events
  documents: Documents
  /** Runs tenants' code. */
  sandbox: Sandbox
  /** Event logs that clients can follow through any process. Null without Redis. */
  sharedLogs: SharedLogs | null
  metrics: Metrics
  stalls: Stalls
  /** Null if tracing is off. */
  tracing: Tracing | null
}
