import type { AcceptedEvent, FollowedEvent } from '@parley/client'
import type { Agent, Citation, ToolCall } from '@parley/client/schemas'
import { useCallback, useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { translator } from '../../messages/index.ts'
import { failureText } from '../../ui/error-text.ts'
import { useBufferedText } from '../../ui/use-buffered-text.ts'

const t = translator('agents')

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
 * A test chat with an agent. The server stores it like any other chat. The chat is deleted when the user starts over
 * or leaves the page.
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
    // If the request fails, the chat remains in the user's list.
    if (chatId)
      void api.request('DELETE /api/chat/delete_session', { query: { session_id: chatId } }).catch(() => {})
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
    let received = ''
    let messageId = ''
    const take = async (event: AcceptedEvent | FollowedEvent) => {
      if (event.type === 'accepted') messageId = event.messageId
      if (event.type === 'connection') setLost(event.isLost)
      if (event.type === 'text') {
        received += event.text
        buffer.add(event.text)
      }
      if (event.type === 'reload') received = await storedText(organizationId, mine.chatId ?? '', messageId)
      change((turn) => changeBy(turn, event))
    }
    try {
      mine.chatId ??= await makeChat(organizationId, agent.name)
      const events = api.follow('POST /api/chat/send_message', {
        query: { org_id: organizationId, agent_id: agent.id, chat_id: mine.chatId },
        body: { content: question },
        signal: abort.signal,
      })
      for await (const event of events) await take(event)
    } catch (error) {
      if (!abort.signal.aborted) change(() => ({ error: error as Error }))
    }
    setLost(false)
    if (!abort.signal.aborted) change(() => ({ text: received, isWriting: false }))
  }

  return {
    turns,
    /** The text of the newest reply while it streams. */
    text,
    isLost,
    isWriting: turns.at(-1)?.isWriting ?? false,
    send: (question: string) => void send(question),
    stop() {
      const { chatId } = trial.current
      if (chatId)
        void api
          .request('POST /api/chat/stop', { query: { org_id: organizationId, chat_id: chatId } })
          .catch(() => {})
    },
    startOver() {
      end()
      setTurns([])
    },
  }
}

function changeBy(turn: Turn, event: AcceptedEvent | FollowedEvent): Partial<Turn> {
  switch (event.type) {
    case 'reasoning':
      return { reasoning: turn.reasoning + event.text }
    case 'tool_started':
    case 'tool_finished': {
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
      return event.error === null
        ? {}
        : { error: new Error(failureText(event.error, event.errorCode, event.errorValues)) }
    default:
      return {}
  }
}

const makeChat = async (org_id: string, name: string): Promise<string> =>
  (
    await api.request('POST /api/chat', {
      query: { org_id },
      body: { title: t('test.chatTitle', { name }).slice(0, 200) },
    })
  ).id

async function storedText(org_id: string, chat_id: string, messageId: string): Promise<string> {
  const { messages } = await api.request('GET /api/chat', { query: { org_id, chat_id } })
  return messages.find(({ id }) => id === messageId)?.content ?? ''
}
