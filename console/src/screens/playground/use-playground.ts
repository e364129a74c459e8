import { useEffect, useRef, useState } from 'react'
import { addressOf, authorizedFetch, errorOf } from '../../api/call.ts'
import type { PlaygroundEvent } from '../../api/operations.ts'
import { readEvents } from '../../streams/read-events.ts'
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

/** How often what has come is drawn. */
const DRAW_MS = 50
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
      ...(instanceIds.length > 0 && { mcp_instance_ids: instanceIds }),
      ...(model !== undefined && { model }),
    }
    try {
      const answer = await authorizedFetch(
        addressOf('/api/mcp_playground/chat', { org_id: organizationId }),
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
          signal: leaving.signal,
        },
      )
      if (!answer.ok) throw await errorOf(answer)
      for await (const { data } of readEvents(answer, leaving.signal))
        draw.add(JSON.parse(data) as PlaygroundEvent)
      const isCut = !draw.reply().isOver && !leaving.signal.aborted
      draw.end()
      if (isCut) change({ failure: new Error(CUT) })
    } catch (error) {
      draw.end()
      if (!leaving.signal.aborted) change({ failure: error as Error })
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

/** Collects events, and hands on what they come to every 50 ms at most. */
function drawer(onReply: (reply: Reply) => void) {
  let reply = NEW_REPLY
  let clock: ReturnType<typeof setTimeout> | undefined
  const draw = () => {
    clock = undefined
    onReply(reply)
  }
  return {
    reply: () => reply,
    add(event: PlaygroundEvent): void {
      reply = replyAfter(reply, event)
      clock ??= setTimeout(draw, DRAW_MS)
    },
    /** What has not ended by itself has been stopped, or was cut. */
    end(): void {
      clearTimeout(clock)
      reply = { ...reply, isOver: true }
      draw()
    },
  }
}
