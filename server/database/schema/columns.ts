import { sql, timestamp, uuid } from '../drizzle.ts'

/**
 * Columns that most tables share. The server generates ids as UUIDv7, so the order of ids is the order of creation.
 */
export const id = () => uuid('id').primaryKey()
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })
export const createdAt = () => moment('created_at').notNull().default(sql`now()`)
export const updatedAt = () =>
  moment('updated_at')
    .notNull()
    .default(sql`now()`)
    .$onUpdate(() => new Date())
