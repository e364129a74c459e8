import type { ISql, PendingQuery, Row } from 'postgres'
import { type AppError, fail } from '#errors'
import { DEFAULTS } from './features.ts'

/*
 * The storage quota of an organization (`file_upload`). A statement that stores files, texts, responses or conversations
 * reserves their bytes in the same transaction, and a trigger releases them when the rows are deleted. The database
 * function `reserve_bytes` is the arbiter: it locks the organization's row until the transaction ends, so it is called last
 * (docs/lock-order.md).
 */

/** SQL that reserves bytes. Its value is null, or the organization's limit, which they would exceed. Evaluate it once. */
export const reservation = (sql: ISql, organizationId: string, bytes: number) =>
  reservationOf(sql, organizationId, sql`${bytes}`)

/** The same for a number of bytes that the statement computes. */
export const reservationOf = (sql: ISql, organizationId: string, bytes: PendingQuery<Row[]>) =>
  sql`reserve_bytes(${organizationId}::uuid, ${bytes}::bigint, ${DEFAULTS.file_upload}::bigint)`

/** Reserves bytes. Throws upload.quota. */
export async function reserveBytes(sql: ISql, organizationId: string, bytes: number): Promise<void> {
  const [row] = await sql<{ limit: string | null }[]>`
    select ${reservation(sql, organizationId, bytes)} as limit`
  if (row?.limit != null) throw quotaFull(row.limit)
}

export const quotaFull = (limit: string): AppError => fail('upload.quota', { limit: Number(limit) })
