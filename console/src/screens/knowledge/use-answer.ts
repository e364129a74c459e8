import { useEffect, useRef, useState } from 'react'
import { addressOf, authorizedFetch, type Body, errorOf } from '../../api/call.ts'
import type { QueryEvent } from '../../api/operations.ts'
import { randomKey } from '../../api/random-key.ts'
import { readEvents } from '../../streams/read-events.ts'
import { useBufferedText } from '../../streams/use-buffered-text.ts'

type Sources = Extract<QueryEvent, { sources: unknown }>['sources']
type Ended = Extract<QueryEvent, { citations: unknown }>

interface State {
  isBusy: boolean
  sources: Sources
  /** What it cites, and what was used; null until it is whole. */
  ended: Ended | null
  error: Error | null
}

export interface Answer extends State {
  /** As far as it has come. */
  text: string
  ask(body: Body<'POST /api/kb/query'>): void
  /** Reads no further. */
  stop(): void
}

const NOTHING: State = { isBusy: false, sources: [], ended: null, error: null }

/** Has a question answered from a knowledge base, and tells what has come of the answer. */
export function useAnswer(kbId: string): Answer {
  const [state, setState] = useState(NOTHING)
  const { text, buffer } = useBufferedText()
  const reading = useRef<AbortController>(null)
  useEffect(() => () => reading.current?.abort(), [])

  async function read(body: Body<'POST /api/kb/query'>, signal: AbortSignal): Promise<void> {
    const response = await authorizedFetch(addressOf('/api/kb/query', { kb_id: kbId }), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'idempotency-key': randomKey(),
      },
      body: JSON.stringify(body),
      signal,
    })
    if (!response.ok) throw await errorOf(response)
    let isWhole = false
    for await (const { data } of readEvents(response, signal)) {
      const event = JSON.parse(data) as QueryEvent
      if ('error' in event) throw new Error(event.error)
      if ('content' in event) buffer.add(event.content)
      else if ('sources' in event) setState((before) => ({ ...before, sources: event.sources }))
      else {
        isWhole = true
        setState((before) => ({ ...before, ended: event }))
      }
    }
    if (!isWhole && !signal.aborted) throw new Error('The connection was lost before the answer was whole.')
  }

  return {
    ...state,
    text,
    ask(body) {
      reading.current?.abort()
      const controller = new AbortController()
      reading.current = controller
      buffer.reset()
      setState({ ...NOTHING, isBusy: true })
      const isCurrent = () => reading.current === controller
      read(body, controller.signal)
        .catch((error: Error) => {
          if (isCurrent() && !controller.signal.aborted) setState((before) => ({ ...before, error }))
        })
        .finally(() => {
          if (!isCurrent()) return
          buffer.flush()
          setState((before) => ({ ...before, isBusy: false }))
        })
    },
    stop: () => reading.current?.abort(),
  }
}
