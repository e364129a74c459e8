import { createHmac, randomBytes } from 'node:crypto'
import type { ClaimedDelivery } from './claim-deliveries-system.ts'
import { messageIdOf } from './schemas.ts'

/*
 * Builds messages as defined by Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks, spec
 * 1.0.0). Three headers carry the id, the time, and a signature over both and the body.
 */

const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32
const USER_AGENT = 'Parley-Webhooks'

export const newSecret = (): string => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64')

/** Builds the body of an event. Every attempt sends identical bytes. */
export function writeBody(delivery: ClaimedDelivery): Buffer {
  const { id, organizationId, sequence, eventType, data, createdAt } = delivery
  const head = JSON.stringify({ type: eventType, timestamp: createdAt })
  const tail = JSON.stringify({ organization_id: organizationId, sequence, id: messageIdOf(id) })
  // Inserts the data as the database's JSON text. Parsing the data would round credits that have more digits than a
  // JavaScript number.
  return Buffer.from(`${head.slice(0, -1)},"data":${data},${tail.slice(1)}`)
}

/** Builds the headers of an attempt, with one signature per secret. */
export function writeHeaders(
  { id }: ClaimedDelivery,
  body: Buffer,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const messageId = messageIdOf(id)
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => sign(secret, messageId, timestamp, body)).join(' '),
  }
}

function sign(secret: string, id: string, timestamp: string, body: Buffer): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  return `v1,${digest}`
}
