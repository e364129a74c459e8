import type { StreamedEvent } from '@parley/client'
import { failureText } from '../../ui/error-text.ts'

export interface Call {
  id: string
  name: string
  input: unknown
  /** The tool's output. Null while the call is running. */
  output: unknown
  successful: boolean | null
  error: string | null
}

export type Part = { text: string } | { call: Call }

/** The received part of a reply. */
export interface Reply {
  parts: readonly Part[]
  /** The ids of the servers that the reply recommends. */
  serverIds: readonly string[]
  error: string | null
  isOver: boolean
}

export type PlaygroundEvent = StreamedEvent<'POST /api/mcp_playground/chat'>

export const NEW_REPLY: Reply = { parts: [], serverIds: [], error: null, isOver: false }

export function replyAfter(reply: Reply, event: PlaygroundEvent): Reply {
  if ('error' in event)
    return {
      ...reply,
      error: failureText(event.error, event.code, event.values),
      isOver: true,
    }
  if ('mcp' in event) return { ...reply, serverIds: event.mcp.server_ids }
  if (event.tool !== null) return { ...reply, parts: withCall(reply.parts, callOf(event.tool)) }
  if (event.message === 'DONE') return { ...reply, isOver: true }
  return { ...reply, parts: withText(reply.parts, event.message) }
}

function withText(parts: readonly Part[], text: string): readonly Part[] {
  const last = parts.at(-1)
  return last && 'text' in last ? [...parts.slice(0, -1), { text: last.text + text }] : [...parts, { text }]
}

function withCall(parts: readonly Part[], call: Call): readonly Part[] {
  const isKnown = parts.some((part) => 'call' in part && part.call.id === call.id)
  if (!isKnown) return [...parts, { call }]
  return parts.map((part) => ('call' in part && part.call.id === call.id ? { call } : part))
}

type ToolPayload = Extract<PlaygroundEvent, { tool: object }>['tool']

const callOf = (tool: ToolPayload): Call => ({
  id: tool.id,
  name: tool.name,
  input: tool.input,
  output: tool.output,
  successful: 'successful' in tool ? tool.successful : null,
  error: 'successful' in tool ? tool.error : null,
})
