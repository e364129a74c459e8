import { ParleyError, TextBuffer } from '@parley/client'
import type { ConversationSession } from '@parley/client/schemas'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { outdate } from '../../api/queries.ts'

export interface LiveReply {
  sessionId: string
  modelId: string
  /** Id of the stored message. Null until the reply has started. */
  messageId: string | null
  text: string
  /** `ended` includes stopped and failed replies. The stored message contains the outcome. */
  state: 'waiting' | 'streaming' | 'ended'
}

/** A question whose replies are in progress, with one reply per model. */
export interface Round {
  question: string
  replies: LiveReply[]
}

/**
 * Maximum number of concurrent streams. Browsers open six HTTP/1.1 connections per server. One connection must remain
 * free for other requests, such as stopping the replies.
 */
const STREAMS_MAX = 5

export interface Refusal {
  modelId: string
  error: Error
}

/**
 * Sends questions to several models and follows their replies. `ask` resolves when all replies have ended: to false
 * if every model refused the question, otherwise to true.
 */
export function useRound(organizationId: string) {
  const client = useQueryClient()
  const [round, setRound] = useState<Round | null>(null)
  const [refusals, setRefusals] = useState<Refusal[]>([])
  const leaving = useRef(new AbortController())
  // Stop following the replies on unmount. The server completes them.
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
        messageId: null,
        text: '',
        state: 'waiting',
      })),
    })
    const askOne = async ({ id, model_id }: ConversationSession): Promise<void> => {
      change(id, { state: 'streaming' })
      const buffer = new TextBuffer((text) => change(id, { text }))
      try {
        const events = api.stream('POST /api/conversation/stream_chat', {
          query: { org_id: organizationId },
          body: { chat_session_id: id, message: question },
          signal,
        })
        for await (const event of events)
          if ('content' in event) buffer.add(event.content)
          else if ('chat_session_id' in event) change(id, { messageId: event.message_id })
        buffer.flush()
      } catch (error) {
        buffer.close()
        // After a lost connection, the server completes and stores the reply, so this is not a refusal.
        if (error instanceof ParleyError && error.code !== 'stream.lost' && !signal.aborted)
          refused.push({ modelId: model_id, error })
      }
      change(id, { state: 'ended' })
    }
    const waiting = [...sessions]
    const askNext = async (): Promise<void> => {
      for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) await askOne(next)
    }
    await Promise.all(Array.from({ length: STREAMS_MAX }, askNext))
    await outdate(client, 'GET /api/conversation/messages')
    setRound(null)
    setRefusals(refused)
    return refused.length < sessions.length
  }
  /** Stops following the replies and does not ask the remaining models. */
  const leave = () => leaving.current.abort()
  return { round, refusals, ask, leave }
}
