import { expect, test } from 'vitest'
import { followReply } from './follow-reply.ts'

/** A response that stays open until its reader cancels it. */
function openAnswer(messageId: string) {
  let isClosed = false
  const body = new ReadableStream({
    cancel() {
      isClosed = true
    },
  })
  const answer = new Response(body, { headers: { 'x-message-id': messageId } })
  return { answer, isClosed: () => isClosed }
}

test.each([
  ['another reply, which is not read', 'other', [{ type: 'reload' }]],
  ['the reply, when the caller leaves', 'expected', []],
])('the connection of %s is closed', async (_, messageId, events) => {
  const { answer, isClosed } = openAnswer(messageId)
  const leaving = new AbortController()
  const following = followReply(
    { parse: () => null, first: null, resume: async () => answer, messageId: 'expected' },
    leaving.signal,
  )
  setTimeout(() => leaving.abort())
  const yielded: unknown[] = []
  for await (const event of following) yielded.push(event)
  expect(yielded).toEqual(events)
  expect(isClosed()).toBe(true)
})
