import type { EventSourceMessage } from 'eventsource-parser'
import type { ChatMessage, Citation, ToolCall } from './schemas.ts'

/** An image or a video, complete or in progress. */
export interface ReplyMedia {
  type: 'image' | 'video'
  status: 'generating' | 'complete'
  /** The completed fraction, from 0 to 1. */
  progress: number
  url?: string
  mime_type?: string
}

/** The values in an error's sentence by name, such as `provider`. */
export type ErrorValues = Readonly<Record<string, string | number>>

/** Why the model ended a reply. Null if the reply was stopped, or if the reason is unknown. */
export type FinishReason = ChatMessage['finish_reason']

/** The events of a reply that has only text. */
export type TextEvent =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  /** Precedes the end of a reply that did not fail, and that did not end with the reason `stop`. */
  | { type: 'finish'; reason: FinishReason }
  /**
   * The last event of a reply. `error` is a sentence for users, or null if the reply is complete or was stopped. With
   * `errorCode` and `errorValues`, a client can translate the sentence. Replies of older servers have no code.
   */
  | { type: 'end'; error: string | null; errorCode?: string; errorValues?: ErrorValues }

export type ReplyEvent =
  | TextEvent
  /**
   * The ids of the messages. `history` counts the messages that the model received. It is missing if the reply was
   * read from the database.
   */
  | { type: 'meta'; chatId: string; userMessageId: string | null; messageId: string; history?: unknown }
  | { type: 'citations'; citations: Citation[] }
  /** A tool call has started. The output of `call` is null. */
  | { type: 'tool_started'; call: ToolCall }
  | { type: 'tool_finished'; call: ToolCall }
  | { type: 'media'; media: ReplyMedia }
  /** The tokens used. `credits` is missing if the reply was read from the database. */
  | { type: 'usage'; inputTokens: number; outputTokens: number; credits?: number }

/**
 * Returns a parser of one reply's events. The parser returns null for unknown events, such as those of a later server
 * version.
 */
export function replyParser(): (message: EventSourceMessage) => ReplyEvent | null {
  const endOf = endReader()
  return ({ event, data }) => {
    const fields = parseObject(data)
    if (fields === null) return null
    if (event === 'failure') return endOf.note(fields)
    if (event !== undefined && event !== 'message') return parseNamedEvent(event, fields)
    const { media } = fields
    return typeof media === 'object' && media !== null
      ? { type: 'media', media: media as ReplyMedia }
      : textEventOf(fields, endOf)
  }
}

/** Returns a parser of the events of one reply that has only text. The parser returns null for other events. */
export function textParser(): (message: EventSourceMessage) => TextEvent | null {
  const endOf = endReader()
  return ({ event, data }) => {
    const fields = JSON.parse(data) as Record<string, unknown>
    if (event === 'failure') return endOf.note(fields)
    if (event === 'finish') return finishOf(fields)
    return event === undefined || event === 'message' ? textEventOf(fields, endOf) : null
  }
}

const finishOf = (fields: Record<string, unknown>): TextEvent => ({
  type: 'finish',
  reason: fields['finish_reason'] as FinishReason,
})

/** Combines the event `failure`, which has the code and the values, with the error that follows it. */
function endReader() {
  let failure: Pick<Extract<TextEvent, { type: 'end' }>, 'errorCode' | 'errorValues'> = {}
  return {
    note({ code, values = {} }: Record<string, unknown>): null {
      if (typeof code === 'string') failure = { errorCode: code, errorValues: values as ErrorValues }
      return null
    },
    failed: (error: string): TextEvent => ({ type: 'end', error, ...failure }),
  }
}

function textEventOf(
  { message, type, error }: Record<string, unknown>,
  endOf: ReturnType<typeof endReader>,
): TextEvent | null {
  if (typeof error === 'string') return endOf.failed(error)
  if (typeof message !== 'string' || message === '') return null
  if (type === 'reasoning') return { type: 'reasoning', text: message }
  if (type !== undefined) return null
  // A message that is exactly `DONE` marks the end. The server splits text that is exactly `DONE` into two events.
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
    case 'finish':
      return finishOf(fields)
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
 * Returns a number that grows with each event of a reply, from the event's id. Returns -1 for an invalid id.
 *
 * An id consists of counters: characters of reasoning, characters of content, named events, and, for an image or a
 * video, its progress in thousandths. The number is their sum, plus one for the start of the image and one for the
 * end of the reply.
 */
export function progressOf(id = ''): number {
  const parts = id.split('.')
  return parts.length < 3 ? -1 : parts.reduce((sum, part) => sum + (Number(part) || 0), parts.length - 3)
}
