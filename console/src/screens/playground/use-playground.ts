import { ParleyError, Throttle } from '@parley/client'
import { useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { translator } from '../../messages/index.ts'
import { NEW_REPLY, type PlaygroundEvent, type Reply, replyAfter } from './turn.ts'

const t = translator('playground')

export interface Turn {
  question: string
  reply: Reply
  /** Why the request failed or the stream was lost. Null if neither happened. */
  failure: Error | null
  /** The ids of the connections selected for the question. */
  instanceIds: readonly string[]
}

interface Question {
  question: string
  instanceIds: readonly string[]
  model: string | undefined
}

/** Sends questions and collects the turns of this visit. Unmounting cancels the reply in progress. */
export function usePlayground(organizationId: string) {
  const [turns, setTurns] = useState<readonly Turn[]>([])
  const [isWriting, setWriting] = useState(false)
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])

  const change = (part: Partial<Turn>) =>
    setTurns((all) => all.map((turn, place) => (place === all.length - 1 ? { ...turn, ...part } : turn)))

  async function ask({ question, instanceIds, model }: Question): Promise<void> {
    const leaving = new AbortController()
    running.current = leaving
    setWriting(true)
    setTurns((all) => [...all, { question, instanceIds, reply: NEW_REPLY, failure: null }])
    const draw = drawer((reply) => change({ reply }))
    const body = {
      content: question,
      ...(instanceIds.length > 0 && { mcp_instance_ids: [...instanceIds] }),
      ...(model !== undefined && { model }),
    }
    try {
      const events = api.stream('POST /api/mcp_playground/chat', {
        query: { org_id: organizationId },
        body,
        signal: leaving.signal,
        // With an idempotency key, the server would complete the reply even after the client has disconnected.
        idempotencyKey: null,
      })
      for await (const event of events) draw.add(event)
      draw.end()
    } catch (error) {
      draw.end()
      if (!leaving.signal.aborted) change({ failure: isCut(error) ? new Error(t('lost')) : (error as Error) })
    }
    if (running.current === leaving) setWriting(false)
  }

  return {
    turns,
    isWriting,
    ask: (question: Question) => void ask(question),
    stop: () => running.current?.abort(),
    clear() {
      running.current?.abort()
      setTurns([])
    },
  }
}

const isCut = (error: unknown): boolean => error instanceof ParleyError && error.code === 'stream.lost'

/** Builds a reply from events. Calls `onReply` at most every 50 ms. */
function drawer(onReply: (reply: Reply) => void) {
  let reply = NEW_REPLY
  const throttle = new Throttle(() => onReply(reply))
  return {
    add(event: PlaygroundEvent): void {
      reply = replyAfter(reply, event)
      throttle.schedule()
    },
    /** Ends the reply, whether it is complete, was stopped, or lost its stream. */
    end(): void {
      throttle.cancel()
      reply = { ...reply, isOver: true }
      onReply(reply)
    },
  }
}
