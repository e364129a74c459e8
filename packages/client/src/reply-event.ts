import type { EventSourceMessage } from 'eventsource-parser'
import type { Citation, ToolCall } from './schemas.ts'

/** An image or a video that is being generated, or is complete. */
export interface ReplyMedia {
  type: 'image' | 'video'
  status: 'generating' | 'complete'
  /** From 0 to 1. */
  progress: number
  url?: string
  mime_type?: string
}

/** The text of a reply, and its end. */
export type TextEvent =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  /** The last event of a reply. `error` is a sentence for people, or null if the reply is complete or was stopped. */
  | { type: 'end'; error: string | null }

export type ReplyEvent =
  | TextEvent
  /** The ids of the messages. `history` is the part of the chat that the model was given; live replies only. */
  | { type: 'meta'; chatId: string; userMessageId: string | null; messageId: string; history?: unknown }
  | { type: 'citations'; citations: Citation[] }
  /** A tool call has started; its output is null. */
  | { type: 'tool_started'; call: ToolCall }
  | { type: 'tool_finished'; call: ToolCall }
  | { type: 'media'; media: ReplyMedia }
  /** `credits`: live replies only. */
  | { type: 'usage'; inputTokens: number; outputTokens: number; credits?: number }

/** Parses an event of the server. Returns null for unknown events, such as those of a later version. */
export function parseReplyEvent({ event, data }: EventSourceMessage): ReplyEvent | null {
  const fields = parseObject(data)
  if (fields === null) return null
  if (event !== undefined && event !== 'message') return parseNamedEvent(event, fields)
  const { media } = fields
  return typeof media === 'object' && media !== null
    ? { type: 'media', media: media as ReplyMedia }
    : textEventOf(fields)
}

/** Parses an event of a text-only reply. Returns null for unknown events. */
export function parseTextEvent({ data }: EventSourceMessage): TextEvent | null {
  return textEventOf(JSON.parse(data) as Record<string, unknown>)
}

function textEventOf({ message, type, error }: Record<string, unknown>): TextEvent | null {
  if (typeof error === 'string') return { type: 'end', error }
  if (typeof message !== 'string' || message === '') return null
  if (type === 'reasoning') return { type: 'reasoning', text: message }
  if (type !== undefined) return null
  // If the model writes exactly this text, the server splits it in two events. So DONE is always the end.
  return message === 'DONE' ? { type: 'end', error: null } : { type: 'text', text: message }
}

function parseNamedEvent(name: string, fields: Record<string, unknown>): ReplyEvent | null {
  switch (name) {
    case 'meta':
      return {
        type: 'meta',
        chatId: String(fields['chat_id']),
        userMessageId: (fields['user_message_id'] as string | null) ?? null,
        messageId: String(fields['message_id']),
        ...(fields['history'] !== undefined && { history: fields['history'] }),
      }
    case 'citations':
      return { type: 'citations', citations: fields['citations'] as Citation[] }
    case 'tool': {
      const call = fields as unknown as ToolCall
      return { type: call.output === null ? 'tool_started' : 'tool_finished', call }
    }
    case 'usage':
      return {
        type: 'usage',
        inputTokens: Number(fields['input_tokens']),
        outputTokens: Number(fields['output_tokens']),
        ...(typeof fields['credits'] === 'number' && { credits: fields['credits'] }),
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
 * Returns how much of a reply the event with this id covers. An id consists of counters: characters of reasoning and
 * content, named events, thousandths of a picture. The result is their sum, plus one for the start of a picture and
 * one for the end, so it grows with each event. Returns -1 for an invalid id.
 */
export function progressOf(id = ''): number {
  const parts = id.split('.')
  return parts.length < 3 ? -1 : parts.reduce((sum, part) => sum + (Number(part) || 0), parts.length - 3)
}
