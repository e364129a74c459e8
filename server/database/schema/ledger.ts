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
import { llmModels } from './llm.ts'
import { memberships, organizations } from './org.ts'

const credits = (name: string) => numeric(name, { precision: 24, scale: 6, mode: 'number' })

/**
 * The credits of an organization. `balance` is the sum of the ledger's amounts, and `held` is the number of open
 * holds.
 */
export const creditAccounts = pgTable('credit_accounts', {
  organizationId: uuid('organization_id')
    .primaryKey()
    .references(() => organizations.id, { onDelete: 'cascade' }),
  balance: credits('balance').notNull().default(0),
  held: integer('held').notNull().default(0),
  /** The balance below which the organization is notified that its credits are low. */
  lowBelow: credits('low_below').notNull().default(100_000),
  /** The day (UTC) of the last message, and the number of messages on that day, checked against daily_chat_limit. */
  messagesDay: date('messages_day'),
  messagesTaken: integer('messages_taken').notNull().default(0),
  /**
   * Incremented when a budget or a limit per minute is set. If the value changes while a statement waits for the
   * account's lock, the statement has missed one. 0 until the organization's first budget or limit.
   */
  budgetsVersion: integer('budgets_version').notNull().default(0),
})

/**
 * Monthly spending limits (UTC) of members and API keys. Statements must hold the lock of the credit account to
 * change a budget's counts.
 */
export const budgets = pgTable(
  'budgets',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Exactly one of `memberId` and `apiKeyId` is set. */
    memberId: uuid('user_id'),
    apiKeyId: uuid('api_key_id'),
    creditsPerMonth: credits('credits_per_month').notNull(),
    /** The month that `spent` belongs to, as its first day. */
    month: date('month').notNull(),
    spent: credits('spent').notNull().default(0),
    /** Number of open holds, each of which reserves a credit. */
    held: integer('held').notNull().default(0),
    /** Credits that open holds reserve beyond one each, because they are expected to cost more. */
    heldBeyond: credits('held_beyond').notNull().default(0),
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
 * Limits of model calls per minute (UTC) of members, API keys and models. Statements must hold the lock of the credit
 * account to change a limit's counts.
 */
export const minuteLimits = pgTable(
  'minute_limits',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Exactly one of `memberId`, `apiKeyId` and `modelId` is set. */
    memberId: uuid('user_id'),
    apiKeyId: uuid('api_key_id'),
    /** A model of the organization or of the environment. */
    modelId: uuid('model_id').references(() => llmModels.id, { onDelete: 'cascade' }),
    /** Null for no limit. */
    requestsPerMinute: integer('requests_per_minute'),
    tokensPerMinute: bigint('tokens_per_minute', { mode: 'number' }),
    /** The minute that `requests` and `tokens` belong to. */
    minute: moment('minute').notNull(),
    requests: integer('requests').notNull().default(0),
    tokens: bigint('tokens', { mode: 'number' }).notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('minute_limits_subject')
      .on(table.organizationId, table.memberId, table.apiKeyId, table.modelId)
      .nullsNotDistinct(),
    index('minute_limits_model').on(table.modelId).where(sql`${table.modelId} is not null`),
    foreignKey({
      name: 'minute_limits_member',
      columns: [table.organizationId, table.memberId],
      foreignColumns: [memberships.organizationId, memberships.memberId],
    }).onDelete('cascade'),
    foreignKey({
      name: 'minute_limits_api_key',
      columns: [table.organizationId, table.apiKeyId],
      foreignColumns: [apiKeys.organizationId, apiKeys.id],
    }).onDelete('cascade'),
    check(
      'minute_limits_one_subject',
      sql`num_nonnulls(${table.memberId}, ${table.apiKeyId}, ${table.modelId}) = 1`,
    ),
    check('minute_limits_any', sql`num_nonnulls(${table.requestsPerMinute}, ${table.tokensPerMinute}) > 0`),
  ],
)

/**
 * The credit ledger. Append-only: a trigger rejects updates and deletes. The amount of a CREDIT is positive, or
 * negative for the sending organization of a transfer. A DEBIT is at most 0; a HOLD and a RELEASE are 0.
 */
export const ledgerEntries = pgTable(
  'ledger_entries',
  {
    id: id(),
    /** The order in which the entries were written. Each `balance_after` includes all earlier entries. */
    position: bigint('position', { mode: 'number' }).generatedAlwaysAsIdentity(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    kind: text('kind', { enum: ['HOLD', 'DEBIT', 'RELEASE', 'CREDIT'] }).notNull(),
    quantity: credits('quantity').notNull(),
    amount: credits('amount').notNull(),
    balanceAfter: credits('balance_after').notNull(),
    /** The HOLD entry that this DEBIT or RELEASE closes. */
    holdId: uuid('hold_id'),
    modelId: uuid('model_id'),
    userId: uuid('user_id'),
    apiKeyId: uuid('api_key_id'),
    agentId: uuid('agent_id'),
    deploymentId: uuid('deployment_id'),
    chatId: uuid('chat_id'),
    messageId: uuid('message_id'),
    usage: jsonb('usage').$type<{ input_tokens: number; output_tokens: number }>(),
    /** The other organization of a transfer. The id remains when that organization is deleted. */
    counterpartyId: uuid('counterparty_id'),
    reason: text('reason'),
    createdAt: createdAt(),
  },
  (table) => [
    unique('ledger_entries_position').on(table.organizationId, table.position),
    uniqueIndex('ledger_entries_closes').on(table.holdId),
    // The rare kinds. Without this index, a list of credits reads the whole ledger.
    index('ledger_entries_rare')
      .on(table.organizationId, table.kind, table.position)
      .where(sql`${table.kind} in ('CREDIT', 'RELEASE')`),
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

/**
 * Holds that are not settled yet, each with the server process responsible for it. Settling a hold deletes its row.
 */
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
    /** The expected cost, which budgets reserve. One credit if the organization had no budget. */
    expected: credits('expected').notNull().default(1),
    /**
     * True if a user has asked to stop the work that the hold pays for. The request may arrive at another process.
     */
    stopRequested: boolean('stop_requested').notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [index().on(table.instanceId), index().on(table.organizationId)],
)

/** Debits per day (UTC), user and purpose. Written in the statement that settles a hold. */
export const usageDays = pgTable(
  'usage_days',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    day: date('day').notNull(),
    modelId: uuid('model_id'),
    /** The user who caused the debits. Null if there is none, for example when a knowledge base is indexed. */
    userId: uuid('user_id'),
    apiKeyId: uuid('api_key_id'),
    agentId: uuid('agent_id'),
    deploymentId: uuid('deployment_id'),
    /** Number of charged model calls, excluding calls that generate titles. */
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

/**
 * Server processes that use this database. A process whose lease has expired is dead: other processes settle its open
 * holds.
 */
export const serverInstances = pgTable('server_instances', {
  id: id(),
  leaseUntil: moment('lease_until').notNull(),
  /** When the process last used the database for more than looks (platform/sweeps). Null in processes of earlier versions. */
  activeAt: moment('active_at'),
})

/**
 * Email addresses that have received starting credits, as keyed hashes. Rows outlive their accounts, so an address
 * receives starting credits only once.
 */
export const startingCreditClaims = pgTable('starting_credit_claims', {
  addressHash: text('address_hash').primaryKey(),
  createdAt: createdAt(),
})
