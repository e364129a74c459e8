import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../api/call.ts'
import type { ConversationSession } from '../../api/operations.ts'
import { outdate } from '../../api/queries.ts'
import { TextBuffer } from '../../streams/text-buffer.ts'
import { streamReply } from './stream-reply.ts'

export interface LiveReply {
  sessionId: string
  modelId: string
  text: string
  /** `ended`: however it has ended, the stored message tells. */
  state: 'waiting' | 'streaming' | 'ended'
}

/** A question that is being answered by one model after the other, each knowing what was said before. */
export interface Round {
  question: string
  replies: LiveReply[]
}

/** Why a model was not asked. */
export interface Refusal {
  modelId: string
  error: Error
}

/** `ask` resolves once everything is answered: whether anything was. */
export function useRound(organizationId: string) {
  const client = useQueryClient()
  const [round, setRound] = useState<Round | null>(null)
  const [refusals, setRefusals] = useState<Refusal[]>([])
  const leaving = useRef(new AbortController())
  // The reply goes on without us; what is left of the round is not asked.
  useEffect(() => () => leaving.current.abort(), [])

  const change = (sessionId: string, to: Partial<LiveReply>) =>
    setRound(
      (now) =>
        now && {
          ...now,
          replies: now.replies.map((reply) => (reply.sessionId === sessionId ? { ...reply, ...to } : reply)),
        },
    )

  const ask = async (question: string, sessions: readonly ConversationSession[]): Promise<boolean> => {
    leaving.current = new AbortController()
    const { signal } = leaving.current
    const refused: Refusal[] = []
    setRefusals([])
    setRound({
      question,
      replies: sessions.map(({ id, model_id }) => ({
        sessionId: id,
        modelId: model_id,
        text: '',
        state: 'waiting',
      })),
    })
    for (const { id, model_id } of sessions) {
      if (signal.aborted) break
      change(id, { state: 'streaming' })
      const buffer = new TextBuffer((text) => change(id, { text }))
      try {
        const pieces = streamReply({ organizationId, sessionId: id, message: question }, signal)
        for await (const piece of pieces) buffer.add(piece)
        buffer.flush()
      } catch (error) {
        buffer.close()
        if (error instanceof ApiError && !signal.aborted) refused.push({ modelId: model_id, error })
      }
      change(id, { state: 'ended' })
    }
    await outdate(client, 'GET /api/conversation/messages')
    setRound(null)
    setRefusals(refused)
    return refused.length < sessions.length
  }
  /** Asks no further models. */
  const leave = () => leaving.current.abort()
  return { round, refusals, ask, leave }
}
