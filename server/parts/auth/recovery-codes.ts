import { randomInt } from 'node:crypto'
import type { ISql } from 'postgres'
import { hashToken } from '#platform/secrets/secrets.ts'

const CODES = 10
/** Without characters that look alike. 16 of 32 are 80 bits, so one fast hash is enough. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz123456789'
const CHARACTERS = 16
const GROUP = 4

/** Replaces the recovery codes of a user and answers the new ones, which nothing can show again. */
export async function replaceRecoveryCodes(sql: ISql, userId: string): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode)
  const hashes = codes.map((code) => hashOf(userId, code))
  await sql`delete from recovery_codes where user_id = ${userId}`
  await sql`
    insert into recovery_codes (user_id, code_hash) select ${userId}, unnest(${hashes}::text[])`
  return codes
}

/** Uses a code up: of concurrent requests one gets it. */
export async function acceptRecoveryCode(sql: ISql, userId: string, code: string): Promise<boolean> {
  const used = await sql`
    delete from recovery_codes where user_id = ${userId} and code_hash = ${hashOf(userId, code)}`
  return used.count > 0
}

const newCode = (): string =>
  Array.from({ length: CHARACTERS }, (_, index) => {
    const character = ALPHABET[randomInt(ALPHABET.length)] ?? ''
    return index > 0 && index % GROUP === 0 ? `-${character}` : character
  }).join('')

/** People type them with or without dashes and spaces, in any case. */
const hashOf = (userId: string, code: string): string =>
  hashToken(`recovery code ${userId} ${code.toLowerCase().replaceAll(/[^a-z0-9]/g, '')}`)
