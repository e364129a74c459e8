/** The providers that a language model can be configured with (contract, 7). */
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

/** Where a model is, and how to be let in. */
export interface ModelTarget {
  provider: Provider
  /** The provider's own name of the model. */
  model: string
  /** Without a slash at its end, as the provider's documentation gives it: `https://api.openai.com/v1`. */
  baseUrl: string
  apiKey: string | null
  /** True when a tenant gave the address: then it is reached through the network guard only. */
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
  /** What the provider wants to see again with this call in the next request (Gemini: thoughtSignature). */
  signature?: string
}

export interface ModelRequest {
  system?: string
  messages: ModelMessage[]
  tools?: ToolDefinition[]
  temperature?: number
  topP?: number
  maxTokens?: number
  /** Ask for reasoning, from models that can; without effect on others. */
  thinking?: boolean
  /** Which of the tools are called: as the model likes (that is the default), none, at least one, or this one. */
  toolChoice?: ToolChoice
  /** False: one call at most in a reply, whatever the model makes of it. */
  parallelToolCalls?: boolean
  /** Texts at which the reply ends, before them. */
  stop?: string[]
  /** What the reply is to be, where it is not to be prose. */
  responseFormat?: ResponseFormat
}

export type ToolChoice = 'auto' | 'none' | 'required' | { name: string }

export type ResponseFormat =
  | { type: 'json_object' }
  | {
      type: 'json_schema'
      name: string
      schema: Record<string, unknown>
      /** Hold the reply to the schema; else the schema says what is wished for. */
      strict?: boolean
    }

/** Takes a reply as it comes. Text is well-formed Unicode without NUL, so that it can be stored and sent as it is. */
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
  /** Null where the provider told nothing: then it is for the caller to count. */
  usage: ModelUsage | null
}

/** Bounds on waiting for a provider, in milliseconds. */
export interface ModelTimeouts {
  connectMs: number
  firstTokenMs: number
  betweenTokensMs: number
}

/** What the providers of media are asked for. */
export type MediaKind = 'image' | 'video' | 'transcription' | 'embedding'

export interface ImageRequest {
  prompt: string
  /** Images that the prompt is about, for models that can change images. */
  images?: { mimeType: string; data: Uint8Array }[]
}

export interface VideoRequest {
  prompt: string
}

export interface GeneratedMedia {
  /** As its bytes show: PNG, JPEG, WebP or GIF; MP4 or WebM. */
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
  /** Well-formed, without NUL. Empty where nobody speaks. */
  text: string
  /** What was spoken, as a code of ISO 639 (`en`), where the provider tells. */
  language: string | null
  durationSeconds: number | null
  usage: ModelUsage | null
}

/** What a text is embedded as: some models make different vectors of what is found and of what is asked. */
export type EmbeddingPurpose = 'document' | 'query'

export interface Embeddings {
  /** One for each text, in their order: of one length in numbers, and of length 1 in space. */
  vectors: Float32Array[]
  /** Null where the provider told nothing. */
  usage: ModelUsage | null
}

/**
 * Bounds on waiting for media, in milliseconds: all of the work, between two questions for a video, for the embeddings
 * of one request, and before such a request is tried again for the first time.
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
 * A provider that could not do what it was asked. `message` is a sentence for the person who waits for the reply:
 * it says what to do and holds neither key nor address with credentials. `cause` is for the log.
 */
export class ModelError extends Error {
  override readonly name = 'ModelError'
}
