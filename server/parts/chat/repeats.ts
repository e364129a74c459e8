import { createHash } from 'node:crypto'
import { eq } from '#database/drizzle.ts'
import { replyKeys } from '#database/schema/chat.ts'
import { fail } from '#errors'
import { IDEMPOTENT_REPLAYED } from '#platform/http/answer-once.ts'
import type { EventStream } from '#platform/http/define-route.ts'
import type { NamedEvents } from '#platform/streams/event-log.ts'
import { deleteOlderThan, type RetentionRule } from '#platform/sweeps/retention.ts'
import type { ChatDependencies } from './dependencies.ts'
import type { Question } from './find-reply-position.ts'
import type { ChatWriter, SendQuery } from './schemas.ts'
import { streamReply } from './stream-reply.ts'

/*
 * If a client repeats a message with the same Idempotency-Key, the response is the reply to the first request.
 */

/** Time for which repeats are recognized. */
const KEY_SECONDS = 86_400

export const replyKeyRetention: RetentionRule[] = [
  deleteOlderThan({ table: 'reply_keys', column: 'created_at' }, KEY_SECONDS),
]

export interface RepeatKey {
  key: string
  /** Hash of the query and the message. Only a request with the same hash is a repeat. */
  requestHash: string
}

export const repeatKeyOf = (key: string, query: SendQuery, question: Question): RepeatKey => ({
  key,
  requestHash: createHash('sha256')
    .update(JSON.stringify([query, question]))
    .digest('base64url'),
})

/**
 * Streams the reply of an earlier request with this Idempotency-Key from the beginning. Returns undefined if there
 * was no such request. Throws request.idempotency_reused if the earlier request was different.
 */
export async function repeatOf(
  deps: ChatDependencies,
  scope: ChatWriter,
  named: NamedEvents,
  { key, requestHash }: RepeatKey,
): Promise<EventStream | undefined> {
  const [known] = await scope.select(replyKeys, { where: eq(replyKeys.key, key) })
  if (!known) return undefined
  if (known.requestHash !== requestHash) throw fail('request.idempotency_reused')
  const stream = await streamReply(deps, scope, {
    chatId: known.chatId,
    messageId: known.messageId,
    lastEventId: undefined,
    named,
  })
  return stream ? { ...stream, headers: { ...stream.headers, [IDEMPOTENT_REPLAYED]: 'true' } } : undefined
}
