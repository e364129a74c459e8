import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { eq } from '#database/drizzle.ts'
import { replyKeys } from '#database/schema/chat.ts'
import { fail } from '#errors'
import type { EventStream } from '#platform/http/define-route.ts'
import type { Question } from './find-place.ts'
import type { ChatWriter, SendQuery } from './schemas.ts'
import type { ChatDesk } from './send-message.ts'
import { streamReply } from './stream-reply.ts'

/*
 * A message that is sent again with its Idempotency-Key is answered with the reply that it got (contract, 5).
 */

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/** Throws request.invalid. */
export function idempotencyKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['idempotency-key'] as string | undefined
  if (key !== undefined && !IDEMPOTENCY_KEY.test(key))
    throw fail('request.invalid', { reason: 'Idempotency-Key must be 1 to 255 visible ASCII characters' })
  return key
}

/** What a repeat has to be the same in. */
export const hashRequest = (query: SendQuery, question: Question): string =>
  createHash('sha256')
    .update(JSON.stringify([query, question]))
    .digest('base64url')

/** The reply that an Idempotency-Key stands for, from its beginning. Throws when the key came with another request. */
export async function repeatOf(
  desk: ChatDesk,
  scope: ChatWriter,
  query: SendQuery,
  key: string,
  requestHash: string | null,
): Promise<EventStream | undefined> {
  const [known] = await scope.select(replyKeys, { where: eq(replyKeys.key, key) })
  if (!known) return undefined
  if (known.requestHash !== requestHash) throw fail('request.idempotency_reused')
  return (
    (await streamReply(desk, scope, {
      chatId: known.chatId,
      messageId: known.messageId,
      lastEventId: undefined,
      named: query.events === 'all',
    })) ?? undefined
  )
}
