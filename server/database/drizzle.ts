import { createRequire } from 'node:module'
import { join } from 'node:path'

/*
 * Loads Drizzle as CommonJS, which takes 100 ms; its ES modules take 650 ms (docs/decisions/0009). The server must
 * import Drizzle only from this file. A test checks this rule.
 */

// drizzle-kit loads the schema from the project's folder, and leaves import.meta.url undefined.
const require = createRequire(import.meta.url ?? join(process.cwd(), 'package.json'))
const core: typeof import('drizzle-orm') = require('drizzle-orm')
const postgresCore: typeof import('drizzle-orm/pg-core') = require('drizzle-orm/pg-core')
const postgresJs: typeof import('drizzle-orm/postgres-js') = require('drizzle-orm/postgres-js')
const migrator: typeof import('drizzle-orm/postgres-js/migrator') = require('drizzle-orm/postgres-js/migrator')

export type { InferInsertModel, InferSelectModel, SQL } from 'drizzle-orm'
export type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
export type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'

export const {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  getTableName,
  gte,
  ilike,
  inArray,
  isNotNull,
  isNull,
  isSQLWrapper,
  lt,
  lte,
  ne,
  or,
  sql,
} = core
export const {
  bigint,
  boolean,
  check,
  customType,
  date,
  foreignKey,
  index,
  integer,
  json,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  real,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} = postgresCore
export const { drizzle } = postgresJs
export const { migrate } = migrator
