import type { EventSourceMessage } from 'eventsource-parser'

export interface Citation {
  kb_id?: string
  document_id: string
  document_name: string
  chunk_id: string
  score: number
  snippet: string
}

/** A tool that a reply calls; `output` is null until it has ended. */
export interface ToolCall {
  id: string
  name: string
  input: Record<string, unknown>
  output: Record<string, unknown> | null
  successful?: boolean | null
  error?: string | null
}

/** An image or a video on its way. */
export interface Media {
  type: 'image' | 'video'
  status: 'generating' | 'complete'
  /** 0 to 1. */
  progress: number
  url?: string
  mime_type?: string
}

/** What a reply says of itself while it is written. */
export type ReplyEvent =
  /** Which messages of which chat these are. `history`, of a live reply only: what of the chat the model was shown. */
  | { kind: 'meta'; chatId: string; userMessageId: string | null; messageId: string; history?: unknown }
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string }
  | { kind: 'citations'; citations: Citation[] }
  | { kind: 'tool begun'; call: ToolCall }
  | { kind: 'tool ended'; call: ToolCall }
  | { kind: 'media'; media: Media }
  /** `credits`, of a live reply only. */
  | { kind: 'usage'; inputTokens: number; outputTokens: number; credits?: number }
  /** The last one of a reply. `error` is a sentence for people; null: it is complete, or was stopped. */
  | { kind: 'end'; error: string | null }

/** An event as the server sends it with `events=all`; null for one that says nothing to us, such as one of a later version. */
export function parseReplyEvent({ event, data }: EventSourceMessage): ReplyEvent | null {
  const said = parseObject(data)
  if (said === null) return null
  if (event !== undefined && event !== 'message') return namedEvent(event, said)
  const { message, type, media, error } = said
  if (typeof error === 'string') return { kind: 'end', error }
  if (typeof media === 'object' && media !== null) return { kind: 'media', media: media as Media }
  if (typeof message !== 'string' || message === '') return null
  if (type === 'reasoning') return { kind: 'reasoning', text: message }
  if (type !== undefined) return null
  // A token of just this text comes in two parts, so this is the end.
  return message === 'DONE' ? { kind: 'end', error: null } : { kind: 'text', text: message }
}

function namedEvent(name: string, said: Record<string, unknown>): ReplyEvent | null {
  switch (name) {
    case 'meta':
      return {
        kind: 'meta',
        chatId: String(said['chat_id']),
        userMessageId: (said['user_message_id'] as string | null) ?? null,
        messageId: String(said['message_id']),
        ...(said['history'] !== undefined && { history: said['history'] }),
      }
    case 'citations':
      return { kind: 'citations', citations: said['citations'] as Citation[] }
    case 'tool': {
      const call = said as unknown as ToolCall
      return { kind: call.output === null ? 'tool begun' : 'tool ended', call }
    }
    case 'usage':
      return {
        kind: 'usage',
        inputTokens: Number(said['input_tokens']),
        outputTokens: Number(said['output_tokens']),
        ...(typeof said['credits'] === 'number' && { credits: said['credits'] }),
      }
    default:
      return null
  }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/**
 * How far an event's id says that its reply was delivered: the sum of what it counts (characters of reasoning and of
 * content, events with a name, thousandths of a picture, and the end), which grows with each event that says anything.
 * Null for what is no id of a reply.
 */
export function progressOf(id: string | undefined): number | null {
  const match = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:\.(\d{1,4}))?(\.end)?$/.exec(id ?? '')
  if (!match) return null
  const [, reasoning, content, named, media, end] = match
  const begunMedia = media === undefined ? 0 : Number(media) + 1
  return Number(reasoning) + Number(content) + Number(named) + begunMedia + (end === undefined ? 0 : 1)
}
