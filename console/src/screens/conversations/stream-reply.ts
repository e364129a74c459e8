import { addressOf, authorizedFetch, errorOf } from '../../api/call.ts'
import { randomKey } from '../../api/random-key.ts'
import { readEvents } from '../../streams/read-events.ts'

interface Question {
  organizationId: string
  sessionId: string
  message: string
}

/**
 * Asks the model of a session, and tells what it says, piece by piece. Throws an ApiError where nothing was asked, and
 * StreamLost where the connection broke: the reply is written to its end nevertheless. What else goes wrong stands in
 * the stored message.
 */
export async function* streamReply(
  { organizationId, sessionId, message }: Question,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const address = addressOf('/api/conversation/stream_chat', { org_id: organizationId })
  const answer = await authorizedFetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': randomKey() },
    body: JSON.stringify({ chat_session_id: sessionId, message }),
    signal,
  })
  if (!answer.ok) throw await errorOf(answer)
  for await (const { event, data } of readEvents(answer, signal))
    if (event === 'content') yield (JSON.parse(data) as { content: string }).content
}
