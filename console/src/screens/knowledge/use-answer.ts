import type { Body } from '@parley/client'
import type { QueryEvent } from '@parley/client/schemas'
import { useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { failureText } from '../../ui/error-text.ts'
import { useBufferedText } from '../../ui/use-buffered-text.ts'

type Sources = Extract<QueryEvent, { sources: unknown }>['sources']
type Ended = Extract<QueryEvent, { citations: unknown }>

interface State {
  isBusy: boolean
  sources: Sources
  /** The citations and token usage. Null until the answer is complete. */
  ended: Ended | null
  error: Error | null
}

export interface Answer extends State {
  text: string
  ask(body: Body<'POST /api/kb/query'>): void
  /** Aborts the stream. The text received so far remains. */
  stop(): void
}

const NOTHING: State = { isBusy: false, sources: [], ended: null, error: null }

export function useAnswer(kbId: string): Answer {
  const [state, setState] = useState(NOTHING)
  const { text, buffer } = useBufferedText()
  const reading = useRef<AbortController>(null)
  useEffect(() => () => reading.current?.abort(), [])

  async function read(body: Body<'POST /api/kb/query'>, signal: AbortSignal): Promise<void> {
    const events = api.stream('POST /api/kb/query', { query: { kb_id: kbId }, body, signal })
    for await (const event of events) {
      if ('error' in event) throw new Error(failureText(event.error, event.code, event.values))
      if ('content' in event) buffer.add(event.content)
      else if ('sources' in event) setState((before) => ({ ...before, sources: event.sources }))
      else setState((before) => ({ ...before, ended: event }))
    }
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
