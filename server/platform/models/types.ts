import type { Language } from '@parley/messages/languages'
import type { Reason } from '#errors'
import type { ProviderCode } from './provider-codes.ts'

/** The supported model providers. */
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

/** A model's provider, name, base URL and API key. */
export interface ModelTarget {
  provider: Provider
  /** The provider's name for the model. */
  model: string
  /** The model's name for users. Default: `model`. */
  name?: string
  /** Base URL without a trailing slash, as in the provider's documentation: `https://api.openai.com/v1`. */
  baseUrl: string
  apiKey: string | null
  /** True if a tenant configured the base URL. Requests to such a URL go through the network guard. */
  guarded: boolean
  /** Number of dimensions of embeddings. Default: the model's own. */
  dimensions?: number
  /** The organization that owns the model. Undefined for a model of the installation. */
  owner?: string
  /** Fields that the model's server refuses, so that requests lack them. */
  omit?: readonly string[]
}

/** Fields of OpenAI's format that requests have although no caller sets them. */
export const OMITTABLE = ['stream_options', 'encoding_format'] as const

export type ContentPart =
  | { type: 'text'; text: string }
  | { type: 'image'; mimeType: string; data: Uint8Array }
  | { type: 'audio'; format: 'wav' | 'mp3'; data: Uint8Array }
export type ImagePart = Extract<ContentPart, { type: 'image' }>

export type ModelMessage =
  | { role: 'user'; content: string | ContentPart[] }
  | { role: 'assistant'; content: string; toolCalls?: ToolCall[] }
  /** Instructions from this place of the conversation on. Those of the whole conversation are in `system`. */
  | { role: 'system'; content: string }
  | {
      role: 'tool'
      toolCallId: string
      toolName: string
      output: string
      /** True if the tool failed. `output` then describes the failure. */
      isError?: boolean
    }

export interface ToolDefinition {
  name: string
  description: string
  /** JSON Schema of type `object`. */
  parameters: Record<string, unknown>
}

export interface ToolCall {
  id: string
  name: string
  /** Numbers that JavaScript would round are of the type ExactNumber. */
  input: Record<string, unknown>
  /** The arguments as the model wrote them. */
  argumentsText?: string
  /** Reason why the arguments cannot be read. `input` is then empty, and the tool must not run. */
  fault?: string
  /** Opaque data that the provider requires with this call in the next request, such as Gemini's thoughtSignature. */
  signature?: string
}

export interface ModelRequest {
  system?: string
  messages: ModelMessage[]
  tools?: ToolDefinition[]
  temperature?: number
  topP?: number
  maxTokens?: number
  /** Only the K most likely tokens are considered. */
  topK?: number
  /** Tokens that are less likely than this share of the most likely token are not considered. */
  minP?: number
  /** Makes sampling repeatable, as far as the provider can. */
  seed?: number
  /** Penalties from -2 to 2 for tokens that occurred often, or at all. */
  frequencyPenalty?: number
  presencePenalty?: number
  /** Bias from -100 to 100 by token id. */
  logitBias?: Record<string, number>
  /** Requests reasoning. Ignored by models that cannot reason. */
  thinking?: boolean
  /** Maximum tokens of reasoning, for models that have such a limit. Default: by `effort`. */
  thinkingTokens?: number
  /** True if `maxTokens` includes reasoning. Otherwise, reasoning is allowed in addition. */
  maxTokensIncludeThinking?: boolean
  /** How much to reason. `none` and `minimal` come without `thinking`. Default: the provider's. */
  effort?: Effort
  /** Length of the reply. */
  verbosity?: 'low' | 'medium' | 'high'
  /** Requests the log probability of each token, and of this many alternatives. */
  logprobs?: number
  /** Which tools may be called: `auto` (default), `none`, `required` for at least one, or a specific tool. */
  toolChoice?: ToolChoice
  /** False limits the reply to one tool call, even for models without such a setting. */
  parallelToolCalls?: boolean
  /** Stop sequences. The reply ends where the model would generate one of these sequences. */
  stop?: string[]
  /** Format of the reply. Free text if omitted. */
  responseFormat?: ResponseFormat
  /** The language that the user prefers. Only the demo model uses it. */
  language?: Language
  hints?: Hints
  /** Fields of the client's request that Parley does not know, by name. Some servers of OpenAI's format know them. */
  extra?: Record<string, unknown>
}

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** Information for the provider that does not change the reply. */
export interface Hints {
  /** Pseudonym of the end user. */
  user?: string
  safetyIdentifier?: string
  promptCacheKey?: string
  serviceTier?: string
  metadata?: Record<string, string>
  /** How long the provider caches the prompt for later requests. */
  cacheTtl?: '5m' | '1h'
}

export type ToolChoice = 'auto' | 'none' | 'required' | { name: string }

export type ResponseFormat =
  | { type: 'json_object' }
  | {
      type: 'json_schema'
      name: string
      schema: Record<string, unknown>
      /** True to enforce the schema. Otherwise the schema is a hint. */
      strict?: boolean
    }

/** Receives a reply while it streams. Text is well-formed Unicode without NUL, so it can be stored as is. */
export interface ModelSink {
  text(text: string, logprobs?: TokenLogprob[]): void
  reasoning(text: string): void
  /** Receives text with which the model refuses. Default: `text`. */
  refusal?(text: string): void
  toolCall(call: ToolCall): void
  /** Called at the end of each of Anthropic's thinking blocks, whose text `reasoning` has received. */
  thought?(block: ThinkingBlock): void
}

/** A thinking block of Anthropic's Messages API. The next request returns it unchanged with the tool call. */
export type ThinkingBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }

/** The log probability of a token, in OpenAI's format. */
export interface TokenLogprob {
  token: string
  logprob: number
  bytes: number[] | null
  top_logprobs: Omit<TokenLogprob, 'top_logprobs'>[]
}

export interface ModelUsage {
  inputTokens: number
  outputTokens: number
  /** The part of the input that the provider read from its cache. */
  cachedTokens?: number
  /** The part of the input that the provider wrote to its cache. */
  cacheWriteTokens?: number
  /** The part of the output that is reasoning. */
  reasoningTokens?: number
}

/** Why a model ended its reply, as stored and shown. `refusal` means that the model itself declined. */
export const FINISH_REASONS = ['stop', 'length', 'content_filter', 'refusal', 'tool_calls'] as const
export type FinishReason = (typeof FINISH_REASONS)[number]

export interface ModelResult {
  /** `other` if the provider gave no reason, or an unknown one. */
  finishReason: FinishReason | 'other'
  /** The stop sequence that ended the reply. Only Anthropic reports it. */
  stopSequence?: string
  /** Usage reported by the provider. Null if the provider reported none; the caller then counts tokens itself. */
  usage: ModelUsage | null
}

export interface ModelTimeouts {
  connectMs: number
  firstTokenMs: number
  betweenTokensMs: number
}

export type MediaKind = 'image' | 'video' | 'transcription' | 'speech' | 'embedding'

export interface ImageRequest {
  prompt: string
  /** Input images, for models that can edit images. */
  images?: { mimeType: string; data: Uint8Array }[]
}

export interface VideoRequest {
  prompt: string
}

export interface GeneratedMedia {
  /** MIME type detected from the bytes: PNG, JPEG, WebP or GIF for images, MP4 or WebM for videos. */
  mimeType: string
  data: Uint8Array
  usage: ModelUsage | null
}

/** An audio file on disk: MP3, WAV, M4A, OGG, FLAC or WebM. */
export interface Recording {
  path: string
  contentType: string
}

export interface Transcription {
  /** Transcribed text: well-formed Unicode without NUL, or empty for silence. */
  text: string
  /** Spoken language as an ISO 639 code (`en`). Null if the provider doesn't report it. */
  language: string | null
  durationSeconds: number | null
  usage: ModelUsage | null
}

export type SpeechFormat = 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm'

export interface SpeechRequest {
  input: string
  /** Name of a voice, or the id of a voice that the provider keeps for the customer. */
  voice: string | { id: string }
  format: SpeechFormat
  /** How to speak, for models that accept it. */
  instructions?: string
  speed?: number
}

export interface Speech {
  /** The audio in the requested format, as the provider sent it. */
  data: Buffer
  /** Null, because no provider reports the usage of speech. */
  usage: ModelUsage | null
}

/** Purpose of an embedding. Some models embed documents and queries differently. */
export type EmbeddingPurpose = 'document' | 'query'

export interface Embeddings {
  /** One vector per input string, in input order. All vectors have length 1 and the same number of dimensions. */
  vectors: Float32Array[]
  /** Usage reported by the provider. Null if the provider reported none. */
  usage: ModelUsage | null
}

/**
 * Timeouts for media, in milliseconds. `embeddingMs` limits one request, `retryMs` is the first retry delay of an
 * embedding request, and `pollMs` is the interval between polls of a video.
 */
export interface MediaTimeouts {
  imageMs: number
  videoMs: number
  transcriptionMs: number
  speechMs: number
  embeddingMs: number
  retryMs: number
  pollMs: number
}

/**
 * Cause of a failed model call, by the party that can mend it:
 * - `request`: the client. The provider refuses this input, and a retry would fail again.
 * - `configuration`: the owner of the model. The API key or the model's name is wrong.
 * - `rate_limited`, `overloaded`: nobody. The provider accepts the request later.
 * - `unavailable`: the provider, which is unreachable, too slow or broken.
 */
export type FailureKind = 'request' | 'configuration' | 'rate_limited' | 'overloaded' | 'unavailable'

/**
 * A failed model call. Its reason is a sentence for the user that says what to do, and contains no API key and no URL
 * with credentials. `cause` is for the log.
 */
export class ModelError extends Error implements Reason {
  override readonly name = 'ModelError'
  readonly code: Reason['code']
  readonly values: Reason['values']
  readonly kind: FailureKind
  /** Wait that the provider requests before a retry, in milliseconds. Undefined if it requests none. */
  readonly retryAfterMs: number | undefined
  /** The code by which the provider refuses the request. Undefined if it has none. */
  readonly providerCode: ProviderCode | undefined

  constructor(
    { message, code, values }: Reason,
    {
      kind = 'unavailable',
      retryAfterMs,
      providerCode,
      cause,
    }: {
      kind?: FailureKind
      retryAfterMs?: number | undefined
      providerCode?: ProviderCode | undefined
      cause?: unknown
    } = {},
  ) {
    super(message, { cause })
    this.code = code
    this.values = values
    this.kind = kind
    this.retryAfterMs = retryAfterMs
    this.providerCode = providerCode
  }
}
