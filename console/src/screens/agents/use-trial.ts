import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError, authorizedFetch, call } from '../../api/call.ts'
import type { Agent } from '../../api/operations.ts'
import { randomKey } from '../../api/random-key.ts'
import { type FollowedEvent, type Send, sendAndFollow } from '../../streams/follow-reply.ts'
import type { Citation, ToolCall } from '../../streams/reply-event.ts'
import { useBufferedText } from '../../streams/use-buffered-text.ts'

/** A question and what the agent answers. */
export interface Turn {
  question: string
  text: string
  reasoning: string
  calls: ToolCall[]
  citations: Citation[]
  error: Error | null
  isWriting: boolean
}

const NEW_TURN = {
  text: '',
  reasoning: '',
  calls: [],
  citations: [],
  error: null,
  isWriting: true,
} satisfies Omit<Turn, 'question'>

/**
 * A chat with an agent to try it. It is a chat as any other, so that the agent answers as it always does; it is deleted
 * when somebody starts over or leaves.
 */
export function useTrial(agent: Agent, organizationId: string) {
  const [turns, setTurns] = useState<Turn[]>([])
  const [isLost, setLost] = useState(false)
  const { text, buffer } = useBufferedText()
  const trial = useRef<{ chatId?: string; abort?: AbortController }>({})

  const end = useCallback(() => {
    const { chatId, abort } = trial.current
    trial.current = {}
    abort?.abort()
    // Where this fails, the chat stays among the others under its title.
    if (chatId)
      void call('DELETE /api/chat/delete_session', { query: { session_id: chatId } }).catch(() => {})
  }, [])
  useEffect(() => end, [end])

  const change = (part: (turn: Turn) => Partial<Turn>) =>
    setTurns((all) =>
      all.map((turn, place) => (place === all.length - 1 ? { ...turn, ...part(turn) } : turn)),
    )

  const send = async (question: string) => {
    const abort = new AbortController()
    const mine = trial.current
    mine.abort = abort
    buffer.reset()
    setTurns((all) => [...all, { ...NEW_TURN, question }])
    let said = ''
    let messageId = ''
    const take = async (event: FollowedEvent) => {
      if (event.kind === 'accepted') messageId = event.messageId
      if (event.kind === 'connection') setLost(event.isLost)
      if (event.kind === 'text') {
        said += event.text
        buffer.add(event.text)
      }
      if (event.kind === 'read again') said = await storedText(organizationId, mine.chatId ?? '', messageId)
      change((turn) => changeBy(turn, event))
    }
    try {
      mine.chatId ??= await makeChat(organizationId, agent.name)
      const request = {
        operation: 'send_message' as const,
        query: { org_id: organizationId, agent_id: agent.id, chat_id: mine.chatId },
        body: { content: question },
        idempotencyKey: randomKey(),
      }
      for await (const event of sendAndFollow(sendAuthorized, request, abort.signal)) await take(event)
    } catch (error) {
      if (!abort.signal.aborted) change(() => ({ error: error as Error }))
    }
    setLost(false)
    if (!abort.signal.aborted) change(() => ({ text: said, isWriting: false }))
  }

  return {
    turns,
    /** Of the reply that is being written. */
    text,
    isLost,
    isWriting: turns.at(-1)?.isWriting ?? false,
    send: (question: string) => void send(question),
    stop() {
      const { chatId } = trial.current
      if (chatId)
        void call('POST /api/chat/stop', { query: { org_id: organizationId, chat_id: chatId } }).catch(
          () => {},
        )
    },
    startOver() {
      end()
      setTurns([])
    },
  }
}

function changeBy(turn: Turn, event: FollowedEvent): Partial<Turn> {
  switch (event.kind) {
    case 'reasoning':
      return { reasoning: turn.reasoning + event.text }
    case 'tool begun':
    case 'tool ended': {
      const isKnown = turn.calls.some(({ id }) => id === event.call.id)
      return {
        calls: isKnown
          ? turn.calls.map((one) => (one.id === event.call.id ? event.call : one))
          : [...turn.calls, event.call],
      }
    }
    case 'citations':
      return { citations: event.citations }
    case 'end':
      return event.error === null ? {} : { error: new Error(event.error) }
    default:
      return {}
  }
}

const makeChat = async (org_id: string, name: string): Promise<string> =>
  (await call('POST /api/chat', { query: { org_id }, body: { title: `Trying ${name}`.slice(0, 200) } })).id

async function storedText(org_id: string, chat_id: string, messageId: string): Promise<string> {
  const { messages } = await call('GET /api/chat', { query: { org_id, chat_id } })
  return messages.find(({ id }) => id === messageId)?.content ?? ''
}

/** No answer at all is a TypeError, as of `fetch` itself. */
const sendAuthorized: Send = (path, init) =>
  authorizedFetch(path, init).catch((error: unknown) => {
    throw error instanceof ApiError && error.status === 0 ? new TypeError(error.message) : error
  })
