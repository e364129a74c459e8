import { describeErrorEvent } from './failures.ts'
import type { ReplyText } from './reply-text.ts'
import { TextTemplate } from './text-template.ts'
import { streamEvents, type Transport } from './transport.ts'
import {
  type ContentPart,
  ModelError,
  type ModelMessage,
  type ModelRequest,
  type ModelResult,
  type ModelTarget,
  type ToolCall,
} from './types.ts'

/**
 * Gemini streamGenerateContent, as events. The format has no marker of its own for the end: a reply that has given a
 * finishReason and then stops is complete, and one that stops without is not.
 */
export async function streamGoogle(
  transport: Transport,
  target: ModelTarget,
  request: ModelRequest,
  reply: ReplyText,
  signal: AbortSignal,
): Promise<ModelResult> {
  const result: ModelResult = { finishReason: 'other', usage: null }
  let calls = 0
  const template = new TextTemplate()
  let finished = false
  await streamEvents(transport, {
    target,
    path: `/models/${encodeURIComponent(target.model)}:streamGenerateContent?alt=sse`,
    headers: googleHeaders(target),
    body: requestBody(request),
    signal,
    isComplete: () => finished,
    onEvent({ data }) {
      const token = template.match(data)
      if (token !== undefined) {
        reply.text(token)
        return false
      }
      const chunk = JSON.parse(data) as Chunk
      if (chunk.error !== undefined) throw describeErrorEvent(target, chunk.error)
      const blocked = chunk.promptFeedback?.blockReason
      if (blocked) throw new ModelError(`${target.provider} refuses to answer this (${blocked}).`)
      if (chunk.usageMetadata) result.usage = usageOf(chunk.usageMetadata)
      const candidate = chunk.candidates?.[0]
      const parts = candidate?.content?.parts ?? []
      for (const part of parts) {
        if (part.functionCall) reply.toolCall(toolCallOf(part, calls++))
        else if (part.text && part.thought) reply.reasoning(part.text)
        else if (part.text) reply.text(part.text)
      }
      const [only] = parts
      if (only?.text && !only.thought && parts.length === 1) template.learn(data, only.text)
      if (candidate?.finishReason) {
        finished = true
        result.finishReason = calls > 0 ? 'tool_calls' : (FINISH_REASONS[candidate.finishReason] ?? 'other')
      }
      return false
    },
  })
  return result
}

interface Part {
  text?: string
  thought?: boolean
  thoughtSignature?: string
  functionCall?: { id?: string; name?: string; args?: Record<string, unknown> }
}

interface Chunk {
  error?: unknown
  promptFeedback?: { blockReason?: string }
  usageMetadata?: UsageMetadata
  candidates?: { content?: { parts?: Part[] }; finishReason?: string }[]
}

interface UsageMetadata {
  promptTokenCount?: number
  toolUsePromptTokenCount?: number
  candidatesTokenCount?: number
  thoughtsTokenCount?: number
}

/** Thoughts are paid as output. */
const usageOf = (usage: UsageMetadata) => ({
  inputTokens: (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0),
  outputTokens: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
})

const toolCallOf = ({ functionCall, thoughtSignature }: Part, index: number): ToolCall => ({
  id: functionCall?.id ?? `call_${index}`,
  name: functionCall?.name ?? '',
  input: functionCall?.args ?? {},
  ...(thoughtSignature !== undefined && { signature: thoughtSignature }),
})

const FINISH_REASONS: Record<string, ModelResult['finishReason']> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
}

export const googleHeaders = ({ apiKey }: ModelTarget): Record<string, string> =>
  apiKey === null ? {} : { 'x-goog-api-key': apiKey }

function requestBody({ system, messages, tools, ...request }: ModelRequest): Record<string, unknown> {
  const { temperature, topP, maxTokens, thinking } = request
  return {
    contents: messages.map(contentOf),
    ...(system !== undefined && { systemInstruction: { parts: [{ text: system }] } }),
    generationConfig: {
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { topP }),
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(thinking && { thinkingConfig: { includeThoughts: true } }),
    },
    ...(tools && tools.length > 0 && { tools: [{ functionDeclarations: tools.map(declarationOf) }] }),
  }
}

const declarationOf = ({
  name,
  description,
  parameters,
}: {
  name: string
  description: string
  parameters: object
}) => ({
  name,
  description,
  parametersJsonSchema: parameters,
})

function contentOf(message: ModelMessage): object {
  switch (message.role) {
    case 'user':
      return { role: 'user', parts: partsOf(message.content) }
    case 'tool':
      return {
        role: 'user',
        parts: [
          {
            functionResponse: {
              id: message.toolCallId,
              name: message.toolName,
              response: { result: message.output },
            },
          },
        ],
      }
    case 'assistant':
      return {
        role: 'model',
        parts: [
          ...(message.content === '' ? [] : [{ text: message.content }]),
          ...(message.toolCalls ?? []).map(({ id, name, input, signature }) => ({
            functionCall: { id, name, args: input },
            ...(signature !== undefined && { thoughtSignature: signature }),
          })),
        ],
      }
  }
}

const partsOf = (content: string | ContentPart[]): object[] =>
  typeof content === 'string'
    ? [{ text: content }]
    : content.map((part) =>
        part.type === 'text'
          ? { text: part.text }
          : { inlineData: { mimeType: part.mimeType, data: Buffer.from(part.data).toString('base64') } },
      )
