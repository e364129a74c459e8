import { parseExactJson } from '#database/exact-json.ts'
import { readCallArguments } from './call-arguments.ts'
import { describeErrorEvent, type ErrorFields, errorIn } from './failures.ts'
import { takesGeminiThinking } from './parameters.ts'
import type { ReplyText } from './reply-text.ts'
import { withFormatInstruction } from './response-format.ts'
import { sign, signedBy } from './signatures.ts'
import { isDone } from './stream-body.ts'
import { TextTemplate } from './text-template.ts'
import { callOf, newCallId } from './tool-calls.ts'
import { streamEvents, type Transport } from './transport.ts'
import { type ToolResult, type Turn, turnsOf } from './turns.ts'
import type {
  ContentPart,
  Effort,
  ModelRequest,
  ModelResult,
  ModelTarget,
  ModelUsage,
  ToolCall,
  ToolChoice,
  ToolDefinition,
} from './types.ts'
import { count, laterUsage, usageOf } from './usage.ts'

/**
 * Streams a reply from Gemini's streamGenerateContent. The stream has no end marker: it is complete if an event
 * contained a finishReason. https://ai.google.dev/api/generate-content
 */
export async function streamGoogle(
  transport: Transport,
  target: ModelTarget,
  request: ModelRequest,
  reply: ReplyText,
  signal: AbortSignal,
): Promise<ModelResult> {
  const reader = new StreamReader(target, reply)
  await streamEvents(transport, {
    target,
    path: `/models/${encodeURIComponent(bareName(target.model))}:streamGenerateContent?alt=sse`,
    headers: googleHeaders(target),
    body: requestBody(target, request),
    signal,
    isComplete: () => reader.isComplete,
    onEvent: ({ data }) => reader.take(data),
  })
  return reader.result
}

/** Reads the events of one streamed reply. */
class StreamReader {
  readonly #target: ModelTarget
  readonly #reply: ReplyText
  readonly #template = new TextTemplate()
  #hasCalls = false
  #finishReason: ModelResult['finishReason'] | undefined
  #usage: ModelUsage | null = null

  constructor(target: ModelTarget, reply: ReplyText) {
    this.#target = target
    this.#reply = reply
  }

  /** Processes an event. Always returns false, because the format has no end marker (see isComplete). */
  take(data: string): false {
    if (this.#template.pass(data, this.#reply)) return false
    if (isDone(data)) return false
    const chunk = (data.includes('"functionCall"') ? parseExactJson(data) : JSON.parse(data)) as Chunk
    const error = errorIn(
      chunk,
      (chunk.candidates ?? chunk.promptFeedback ?? chunk.usageMetadata) !== undefined,
    )
    if (error !== undefined) throw describeErrorEvent(this.#target, error)
    if (chunk.promptFeedback?.blockReason) this.#finishReason = 'content_filter'
    if (chunk.usageMetadata) this.#usage = laterUsage(this.#usage, totalOf(chunk.usageMetadata))
    const candidate = chunk.candidates?.[0]
    const parts = candidate?.content?.parts ?? []
    for (const part of parts) this.#takePart(part)
    const [only] = parts
    if (only?.text && !only.thought && parts.length === 1) this.#template.learn(data, only.text)
    if (candidate?.finishReason) this.#end(candidate)
    return false
  }

  #end({ finishReason = '', finishMessage }: Candidate): void {
    if (FAILED.test(finishReason))
      throw describeErrorEvent(
        this.#target,
        finishMessage || finishReason.slice(0, FINISH_REASON_CHARACTERS_MAX),
      )
    this.#finishReason = FILTERED.test(finishReason)
      ? 'content_filter'
      : (FINISH_REASONS[finishReason] ?? 'other')
  }

  #takePart(part: Part): void {
    if (part.functionCall) {
      this.#hasCalls = true
      this.#reply.toolCall(toolCallOf(part.functionCall, part.thoughtSignature))
    } else if (part.text && part.thought) this.#reply.reasoning(part.text)
    else if (part.text) this.#reply.text(part.text)
  }

  get isComplete(): boolean {
    return this.#finishReason !== undefined
  }

  get result(): ModelResult {
    const reason = this.#finishReason ?? 'other'
    return { finishReason: this.#hasCalls && reason === 'stop' ? 'tool_calls' : reason, usage: this.#usage }
  }
}

interface Part {
  text?: string
  thought?: boolean
  thoughtSignature?: string
  functionCall?: FunctionCall
}

interface FunctionCall {
  id?: unknown
  name?: unknown
  args?: unknown
}

interface Candidate {
  content?: { parts?: Part[] }
  finishReason?: string
  finishMessage?: unknown
}

interface Chunk extends ErrorFields {
  promptFeedback?: { blockReason?: string }
  usageMetadata?: UsageMetadata
  candidates?: Candidate[]
}

interface UsageMetadata {
  promptTokenCount?: unknown
  toolUsePromptTokenCount?: unknown
  candidatesTokenCount?: unknown
  thoughtsTokenCount?: unknown
  cachedContentTokenCount?: unknown
}

/** Returns the total usage. Google bills thinking tokens as output. */
const totalOf = (usage: UsageMetadata): ModelUsage | null =>
  usageOf(
    count(usage.promptTokenCount) + count(usage.toolUsePromptTokenCount),
    count(usage.candidatesTokenCount) + count(usage.thoughtsTokenCount),
    { cached: usage.cachedContentTokenCount, reasoning: usage.thoughtsTokenCount },
  )

const toolCallOf = ({ id, name, args }: FunctionCall, thoughtSignature: string | undefined): ToolCall => ({
  ...callOf(
    typeof id === 'string' && id !== '' ? id : newCallId(),
    typeof name === 'string' ? name : '',
    readCallArguments(typeof args === 'string' ? args : JSON.stringify(args ?? {})),
  ),
  ...(thoughtSignature && { signature: sign('google', thoughtSignature) }),
})

const FINISH_REASONS: Record<string, ModelResult['finishReason']> = { STOP: 'stop', MAX_TOKENS: 'length' }
/** https://ai.google.dev/api/generate-content#FinishReason, and further reasons of images and of Vertex AI. */
const FILTERED = /SAFETY|RECITATION|PROHIBITED|BLOCKLIST|SPII|LANGUAGE|ARMOR/
const FAILED = /MALFORMED|UNEXPECTED|TOO_MANY|MISSING|ERROR|FAIL/
const FINISH_REASON_CHARACTERS_MAX = 40

export const googleHeaders = ({ apiKey }: ModelTarget): Record<string, string> =>
  apiKey === null ? {} : { 'x-goog-api-key': apiKey }

/** Removes the prefix `models/`, which Google's list of models adds to names. */
const bareName = (model: string): string => model.replace(/^models\//, '')

/**
 * Sent in place of the missing signature of a tool call that another model made.
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const NO_SIGNATURE = 'skip_thought_signature_validator'

function requestBody({ model }: ModelTarget, original: ModelRequest): Record<string, unknown> {
  const name = bareName(model)
  const hasTools = original.tools !== undefined && original.tools.length > 0
  const takesFormat = !hasTools || IS_GEMINI_3.test(name)
  const request = takesFormat ? original : withFormatInstruction(original)
  const { system, messages, temperature, topP, topK, seed, maxTokens, stop } = request
  const { frequencyPenalty, presencePenalty } = request
  return {
    contents: turnsOf(messages).map((turn) => contentOf(turn, name)),
    ...(system !== undefined && { systemInstruction: { parts: [{ text: system }] } }),
    generationConfig: {
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { topP }),
      ...(topK !== undefined && { topK }),
      ...(seed !== undefined && { seed }),
      ...(frequencyPenalty !== undefined && { frequencyPenalty }),
      ...(presencePenalty !== undefined && { presencePenalty }),
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(stop && stop.length > 0 && { stopSequences: stop }),
      ...formatOf(request),
      ...thinkingOf(name, request),
    },
    ...toolsOf(request),
  }
}

/**
 * Matches Gemini 3 and later. These models accept a response format together with tools, and require a signature with
 * their tool calls. Earlier models reject a response format with tools.
 * https://ai.google.dev/gemini-api/docs/structured-output
 */
const IS_GEMINI_3 = /^gemini-([3-9]|\d\d)/

/**
 * Returns the thinking settings. An effort is a level since Gemini 3, of which Gemini 3 Pro knows two, and a budget
 * before. https://ai.google.dev/gemini-api/docs/openai#thinking
 */
function thinkingOf(model: string, { thinking = false, thinkingTokens, effort }: ModelRequest): object {
  if (!takesGeminiThinking(model) || (!thinking && effort === undefined)) return {}
  const level = effort === undefined ? undefined : LEVELS[effort]
  const isPro = model.startsWith('gemini-3-pro')
  return {
    thinkingConfig: {
      ...(thinking && { includeThoughts: true }),
      ...(thinkingTokens !== undefined && !IS_GEMINI_3.test(model) && { thinkingBudget: thinkingTokens }),
      ...(level &&
        (IS_GEMINI_3.test(model)
          ? { thinkingLevel: isPro && level === 'medium' ? 'high' : level }
          : { thinkingBudget: BUDGETS[level] })),
    },
  }
}

const LEVELS: Record<Effort, keyof typeof BUDGETS> = {
  none: 'low',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
}
const BUDGETS = { low: 1_024, medium: 8_192, high: 24_576 }

/**
 * Returns the response format. The API has no `strict` field and no schema name, because it always enforces schemas.
 */
function formatOf({ responseFormat }: ModelRequest): object {
  if (!responseFormat) return {}
  return {
    responseMimeType: 'application/json',
    ...(responseFormat.type === 'json_schema' && { responseJsonSchema: responseFormat.schema }),
  }
}

/**
 * Returns the tools and the tool choice. The API cannot disable parallel calls. If a request allows only one call,
 * ReplyText therefore drops the others. https://ai.google.dev/api/caching#ToolConfig
 */
function toolsOf({ tools = [], toolChoice }: ModelRequest): object {
  if (tools.length === 0) return {}
  return {
    tools: [{ functionDeclarations: tools.map(declarationOf) }],
    ...(toolChoice !== undefined && { toolConfig: { functionCallingConfig: callingOf(toolChoice) } }),
  }
}

function callingOf(choice: ToolChoice): object {
  if (typeof choice === 'object') return { mode: 'ANY', allowedFunctionNames: [choice.name] }
  return { mode: choice === 'required' ? 'ANY' : choice.toUpperCase() }
}

const declarationOf = ({ name, description, parameters }: ToolDefinition): object => ({
  name,
  description,
  parametersJsonSchema: parameters,
})

function contentOf(turn: Turn, model: string): object {
  if (Array.isArray(turn)) return { role: 'user', parts: turn.map(responsePart) }
  if (turn.role === 'user') return { role: 'user', parts: partsOf(turn.content) }
  const text = turn.content === '' ? [] : [{ text: turn.content }]
  const calls = (turn.toolCalls ?? []).map((call, index) => callPart(call, index, model))
  return { role: 'model', parts: [...text, ...calls] }
}

const responsePart = ({ toolCallId: id, toolName: name, output, isError }: ToolResult): object => ({
  functionResponse: { id, name, response: isError ? { error: output } : { result: output } },
})

/** Returns a tool call. In a group of parallel calls, only the first call has a signature. */
function callPart(call: ToolCall, index: number, model: string): object {
  const isMissing = index === 0 && IS_GEMINI_3.test(model)
  const thoughtSignature = signedBy('google', call) ?? (isMissing ? NO_SIGNATURE : undefined)
  return {
    functionCall: { id: call.id, name: call.name, args: call.input },
    ...(thoughtSignature !== undefined && { thoughtSignature }),
  }
}

const partsOf = (content: string | ContentPart[]): object[] =>
  typeof content === 'string' ? [{ text: content }] : content.map(partOf)

function partOf(part: ContentPart): object {
  if (part.type === 'text') return { text: part.text }
  const mimeType = part.type === 'audio' ? `audio/${part.format}` : part.mimeType
  return { inlineData: { mimeType, data: Buffer.from(part.data).toString('base64') } }
}
