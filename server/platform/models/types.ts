/** The supported model providers (contract, 7). */
export const PROVIDERS = [
  'openai',
  'anthropic',
  'google',
  'deepseek',
  'openai-compatible',
  'ollama',
  'demo',
] as const
export type Provider = (typeof PROVIDERS)[number]

/** The address of a model and the key for it. */
export interface ModelTarget {
  provider: Provider
  /** The provider's name of the model. */
  model: string
  /** Without a trailing slash, as in the provider's documentation: `https://api.openai.com/v1`. */
  baseUrl: string
  apiKey: string | null
  /** True if a tenant configured the address. Such requests go through the network guard. */
  guarded: boolean
}

export type ContentPart =
  | { type: 'text'; text: string }
  | { type: 'image'; mimeType: string; data: Uint8Array }

export type ModelMessage =
  | { role: 'user'; content: string | ContentPart[] }
  | { role: 'assistant'; content: string; toolCalls?: ToolCall[] }
  | { role: 'tool'; toolCallId: string; toolName: string; output: string }

export interface ToolDefinition {
  name: string
  description: string
  /** A JSON Schema of type object. */
  parameters: Record<string, unknown>
}

export interface ToolCall {
  id: string
  name: string
  input: Record<string, unknown>
  /** Opaque data that the provider requires with this call in the next request (Gemini: thoughtSignature). */
  signature?: string
}

export interface ModelRequest {
  system?: string
  messages: ModelMessage[]
  tools?: ToolDefinition[]
  temperature?: number
  topP?: number
  maxTokens?: number
  /** Requests reasoning. Ignored for models without it. */
  thinking?: boolean
  /** Which tools may be called: `auto` (default), `none`, `required` for at least one, or a specific tool. */
  toolChoice?: ToolChoice
  /** False limits a reply to one tool call, also for models without such a setting. */
  parallelToolCalls?: boolean
  /** Stop sequences. The reply ends before the first of them. */
  stop?: string[]
  /** The format of the reply if it is not free text. */
  responseFormat?: ResponseFormat
}

export type ToolChoice = 'auto' | 'none' | 'required' | { name: string }

export type ResponseFormat =
  | { type: 'json_object' }
  | {
      type: 'json_schema'
      name: string
      schema: Record<string, unknown>
      /** Enforces the schema. Otherwise it is a hint. */
      strict?: boolean
    }

/** Receives a reply while it is written. Text is well-formed Unicode without NUL, ready to be stored and sent. */
export interface ModelSink {
  text(text: string): void
  reasoning(text: string): void
  toolCall(call: ToolCall): void
}

export interface ModelUsage {
  inputTokens: number
  outputTokens: number
}

export interface ModelResult {
  finishReason: 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other'
  /** Null if the provider reported none; the caller then counts tokens itself. */
  usage: ModelUsage | null
}

/** Timeouts for a provider, in milliseconds. */
export interface ModelTimeouts {
  connectMs: number
  firstTokenMs: number
  betweenTokensMs: number
}

/** The kinds of media models. */
export type MediaKind = 'image' | 'video' | 'transcription' | 'embedding'

export interface ImageRequest {
  prompt: string
  /** Input images, for models that can edit images. */
  images?: { mimeType: string; data: Uint8Array }[]
}

export interface VideoRequest {
  prompt: string
}

export interface GeneratedMedia {
  /** Detected from the bytes: PNG, JPEG, WebP or GIF; MP4 or WebM. */
  mimeType: string
  data: Uint8Array
  usage: ModelUsage | null
}

/** A recording on disk: MP3, WAV, M4A, OGG, FLAC or WebM. */
export interface Recording {
  path: string
  contentType: string
}

export interface Transcription {
  /** Well-formed, without NUL. Empty for silence. */
  text: string
  /** The spoken language as an ISO 639 code (`en`), if the provider reports it. */
  language: string | null
  durationSeconds: number | null
  usage: ModelUsage | null
}

/** The purpose of an embedding: some models embed documents and queries differently. */
export type EmbeddingPurpose = 'document' | 'query'

export interface Embeddings {
  /** One vector per text, in input order. All have the same dimensions and length 1. */
  vectors: Float32Array[]
  /** Null if the provider reported none. */
  usage: ModelUsage | null
}

/**
 * Timeouts for media, in milliseconds: the whole generation or transcription, one embedding request, the first retry
 * pause of an embedding request, and the interval between polls of a video.
 */
export interface MediaTimeouts {
  imageMs: number
  videoMs: number
  transcriptionMs: number
  embeddingMs: number
  retryMs: number
  pollMs: number
}

/**
 * A model call that failed. `message` is a sentence for the user that says what to do, and contains no key and no
 * address with credentials. `cause` is for the log.
 */
export class ModelError extends Error {
  override readonly name = 'ModelError'
}
