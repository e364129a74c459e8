import { ParleyError, Throttle } from '@parley/client'
import type { PlaygroundEvent } from '@parley/client/schemas'
import { useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { NEW_REPLY, type Reply, replyAfter } from './turn.ts'

/** What was asked, and what comes of it. */
export interface Turn {
  question: string
  reply: Reply
  /** Why it could not be sent, or where it was cut. */
  failure: Error | null
  /** The connections that it was asked with. */
  instanceIds: readonly string[]
}

interface Question {
  question: string
  instanceIds: readonly string[]
  model: string | undefined
}

const CUT =
  'The connection was lost before the reply was complete. Replies of the playground are not kept: ask again.'

/** The turns of this visit. Leaving ends the reply that is being written. */
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
        // With a key the server would write the reply to its end, though nobody reads it.
        idempotencyKey: null,
      })
      for await (const event of events) draw.add(event)
      draw.end()
    } catch (error) {
      draw.end()
      if (!leaving.signal.aborted) change({ failure: isCut(error) ? new Error(CUT) : (error as Error) })
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

/** Collects events, and hands on what they come to every 50 ms at most. */
function drawer(onReply: (reply: Reply) => void) {
  let reply = NEW_REPLY
  const throttle = new Throttle(() => onReply(reply))
  return {
    add(event: PlaygroundEvent): void {
      reply = replyAfter(reply, event)
      throttle.schedule()
    },
    /** What has not ended by itself has been stopped, or was cut. */
    end(): void {
      throttle.cancel()
      reply = { ...reply, isOver: true }
      onReply(reply)
    },
  }
}
