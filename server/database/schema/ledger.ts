import {
  bigint,
  boolean,
  check,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  sql,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '../drizzle.ts'
import { apiKeys } from './api-keys.ts'
import { createdAt, id, moment, updatedAt } from './columns.ts'
import { memberships, organizations } from './org.ts'

const credits = (name: string) => numeric(name, { precision: 24, scale: 6, mode: 'number' })

/** An organization's credits: `balance` is the sum of its ledger, `held` the number of its open holds. */
export const creditAccounts = pgTable('credit_accounts', {
  organizationId: uuid('organization_id')
    .primaryKey()
    .references(() => organizations.id, { onDelete: 'cascade' }),
  balance: credits('balance').notNull().default(0),
  held: integer('held').notNull().default(0),
  /** Below this many credits the organization is told that they run out. */
  lowBelow: credits('low_below').notNull().default(100_000),
  /** The day (UTC) of the last message, and how many there were on it: for the daily_chat_limit. */
  messagesDay: date('messages_day'),
  messagesTaken: integer('messages_taken').notNull().default(0),
  /** Grows whenever a budget is set. A statement that finds it changed after a wait has missed a budget. */
  budgetsVersion: integer('budgets_version').notNull().default(0),
})

/** How much a member, or one of the API keys, may spend in a month (UTC): counted as an account is, under its lock. */
export const budgets = pgTable(
  'budgets',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** One of the two. */
    memberId: uuid('user_id'),
    apiKeyId: uuid('api_key_id'),
    creditsPerMonth: credits('credits_per_month').notNull(),
    /** The first day of the month that `spent` belongs to. */
    month: date('month').notNull(),
    spent: credits('spent').notNull().default(0),
    held: integer('held').notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('budgets_subject').on(table.organizationId, table.memberId, table.apiKeyId).nullsNotDistinct(),
    foreignKey({
      name: 'budgets_member',
      columns: [table.organizationId, table.memberId],
      foreignColumns: [memberships.organizationId, memberships.memberId],
    }).onDelete('cascade'),
    foreignKey({
      name: 'budgets_api_key',
      columns: [table.organizationId, table.apiKeyId],
      foreignColumns: [apiKeys.organizationId, apiKeys.id],
    }).onDelete('cascade'),
    check('budgets_one_subject', sql`num_nonnulls(${table.memberId}, ${table.apiKeyId}) = 1`),
  ],
)

/**
 * Append-only (a trigger refuses update and delete). Amounts: CREDIT > 0, or < 0 for the giving side of a transfer,
 * DEBIT <= 0, HOLD and RELEASE 0.
 */
export const ledgerEntries = pgTable(
  'ledger_entries',
  {
    id: id(),
    /** The order in which entries were written; `balance_after` follows it. */
    position: bigint('position', { mode: 'number' }).generatedAlwaysAsIdentity(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    kind: text('kind', { enum: ['HOLD', 'DEBIT', 'RELEASE', 'CREDIT'] }).notNull(),
    quantity: credits('quantity').notNull(),
    amount: credits('amount').notNull(),
    balanceAfter: credits('balance_after').notNull(),
    /** The HOLD that a DEBIT or a RELEASE closes. */
    holdId: uuid('hold_id'),
    modelId: uuid('model_id'),
    userId: uuid('user_id'),
    apiKeyId: uuid('api_key_id'),
    agentId: uuid('agent_id'),
    deploymentId: uuid('deployment_id'),
    chatId: uuid('chat_id'),
    messageId: uuid('message_id'),
    usage: jsonb('usage').$type<{ input_tokens: number; output_tokens: number }>(),
    /** The organization on the other side of a transfer; kept when that one is deleted. */
    counterpartyId: uuid('counterparty_id'),
    reason: text('reason'),
    createdAt: createdAt(),
  },
  (table) => [
    unique('ledger_entries_position').on(table.organizationId, table.position),
    uniqueIndex('ledger_entries_closes').on(table.holdId),
    check(
      'ledger_entries_amount',
      sql`case ${table.kind} when 'CREDIT' then ${table.amount} > 0 or (${table.amount} < 0 and ${table.counterpartyId} is not null) when 'DEBIT' then ${table.amount} <= 0 else ${table.amount} = 0 end`,
    ),
    check(
      'ledger_entries_hold',
      sql`(${table.kind} in ('DEBIT', 'RELEASE')) = (${table.holdId} is not null)`,
    ),
  ],
)

/** Holds that nothing has closed yet, and the process that answers for each. Closing one deletes its row. */
export const openHolds = pgTable(
  'open_holds',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    instanceId: uuid('instance_id').notNull(),
    modelId: uuid('model_id'),
    userId: uuid('user_id'),
    apiKeyId: uuid('api_key_id'),
    agentId: uuid('agent_id'),
    deploymentId: uuid('deployment_id'),
    chatId: uuid('chat_id'),
    messageId: uuid('message_id'),
    inputRatio: numeric('input_ratio', { mode: 'number' }).notNull(),
    outputRatio: numeric('output_ratio', { mode: 'number' }).notNull(),
    /** Somebody, perhaps through another process, wants this work to end. */
    stopRequested: boolean('stop_requested').notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [index().on(table.instanceId), index().on(table.organizationId)],
)

/** What was debited on a day (UTC), by whom and for what it was used; written by what closes a hold. */
export const usageDays = pgTable(
  'usage_days',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    day: date('day').notNull(),
    modelId: uuid('model_id'),
    /** Null: nobody asked, such as for the ingestion of a knowledge base. */
    userId: uuid('user_id'),
    apiKeyId: uuid('api_key_id'),
    agentId: uuid('agent_id'),
    deploymentId: uuid('deployment_id'),
    /** Calls that were paid, without titles. */
    messages: integer('messages').notNull(),
    inputTokens: bigint('input_tokens', { mode: 'number' }).notNull(),
    outputTokens: bigint('output_tokens', { mode: 'number' }).notNull(),
    credits: credits('credits').notNull(),
  },
  (table) => [
    unique('usage_days_key')
      .on(
        table.organizationId,
        table.day,
        table.modelId,
        table.userId,
        table.apiKeyId,
        table.agentId,
        table.deploymentId,
      )
      .nullsNotDistinct(),
    index('usage_days_deployment')
      .on(table.deploymentId, table.day)
      .where(sql`${table.deploymentId} is not null`),
  ],
)

/** The processes that serve this database. One whose lease ran out is dead, and its open holds are settled. */
export const serverInstances = pgTable('server_instances', {
  id: id(),
  leaseUntil: moment('lease_until').notNull(),
})

/** The addresses that got starting credits, as keyed hashes. Rows outlive accounts, so nobody gets them twice. */
export const startingCreditClaims = pgTable('starting_credit_claims', {
  addressHash: text('address_hash').primaryKey(),
  createdAt: createdAt(),
})
