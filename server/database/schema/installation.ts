import { boolean, check, pgTable, sql, text } from '../drizzle.ts'
import { createdAt } from './columns.ts'

/** The secret that this database's values are encrypted with, as an id. One row. */
export const installationSecret = pgTable(
  'installation_secret',
  {
    isOnly: boolean('is_only').primaryKey().default(true),
    /** `secretIdOf` (platform/secrets/secrets.ts). */
    secretId: text('secret_id').notNull(),
    createdAt: createdAt(),
  },
  (table) => [check('installation_secret_one_row', sql`${table.isOnly}`)],
)
