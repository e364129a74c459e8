import { fail, sentence } from '#errors'
import type { Effort, Hints, ModelMessage, ModelRequest } from '#platform/models/types.ts'
import type { Net } from '#platform/net/index.ts'
import type { Sender } from '../agents/index.ts'
import { chatParts } from './chat-parts.ts'
import { readChatCall, readChatTools } from './chat-tools.ts'
import type { ClientTools } from './client-tools.ts'
import type { OpenAiDependencies } from './generate.ts'
import { withTools } from './legacy-functions.ts'
import { checkParts, joinVisible, plainText, readContent } from './read-content.ts'
import { newImageBudget } from './read-image.ts'
import { refuseFields } from './refused-fields.ts'
import { readExtra } from './review-parameters.ts'
import { ChatCompletionRequest, type ChatMessage } from './schemas.ts'

/** Maximum number of images per request. No provider accepts more. @limit images of a request */
export const IMAGES_MAX = 20

interface ChatRequest {
  request: ModelRequest
  tools: ClientTools
}

/** Converts a chat completion request to a model request. Throws request.invalid. */
export async function readChatRequest(
  services: OpenAiDependencies['services'],
  sender: Sender,
  original: ChatCompletionRequest,
): Promise<ChatRequest> {
  refuseFields(original)
  const body = withTools(original)
  const { response_format: format, stop } = body
  const messages = withUserMessage(body.messages)
  const tools = readChatTools(body)
  const maxTokens = body.max_completion_tokens ?? body.max_tokens
  const system = messages.filter(isInstruction).map(({ content }) => plainText(content))
  const request: ModelRequest = {
    ...(system.length > 0 && { system: joinVisible(system) }),
    messages: await readMessages(services.net, messages, chatParts(services, sender)),
    ...tools.read(),
    ...readSampling(body),
    ...(maxTokens && maxTokens > 0 && { maxTokens, maxTokensIncludeThinking: true }),
    ...(stop && { stop: typeof stop === 'string' ? [stop] : stop }),
    ...readFormat(format && 'json_schema' in format ? { type: format.type, ...format.json_schema } : format),
    ...readEffort(body.reasoning_effort),
    ...readRarer(body),
    ...(body.logprobs && { logprobs: body.top_logprobs ?? 0 }),
    ...(body.verbosity && { verbosity: body.verbosity }),
    ...readHints(body),
    ...readExtra(ChatCompletionRequest, body),
  }
  return { request, tools }
}

/** If a request has only instructions, the last one is the user's message. */
function withUserMessage(messages: ChatMessage[]): ChatMessage[] {
  const last = messages.at(-1)
  return last && messages.every(isInstruction)
    ? [...messages.slice(0, -1), { ...last, role: 'user' }]
    : messages
}

interface Sampling {
  temperature?: number | null
  top_p?: number | null
  parallel_tool_calls?: boolean | null
}

export const readSampling = ({
  temperature,
  top_p: topP,
  parallel_tool_calls: parallel,
}: Sampling): Partial<ModelRequest> => ({
  ...(typeof temperature === 'number' && { temperature }),
  ...(typeof topP === 'number' && { topP }),
  ...(typeof parallel === 'boolean' && { parallelToolCalls: parallel }),
})

interface Rarer {
  top_k?: number | null
  min_p?: number | null
  seed?: number | null
  frequency_penalty?: number | null
  presence_penalty?: number | null
  logit_bias?: Record<string, number> | null
}

/** Reads the parameters that few requests have. */
export const readRarer = (body: Rarer): Partial<ModelRequest> =>
  withoutMissing({
    topK: body.top_k,
    minP: body.min_p,
    seed: body.seed,
    frequencyPenalty: body.frequency_penalty,
    presencePenalty: body.presence_penalty,
    logitBias: body.logit_bias,
  })

interface HintFields {
  user?: string | null
  safety_identifier?: string | null
  prompt_cache_key?: string | null
  service_tier?: string | null
  metadata?: object | null
}

export function readHints(body: HintFields): Partial<ModelRequest> {
  const hints = withoutMissing<Hints>({
    user: body.user,
    safetyIdentifier: body.safety_identifier,
    promptCacheKey: body.prompt_cache_key,
    serviceTier: body.service_tier,
    metadata: body.metadata as Record<string, string> | null | undefined,
  })
  return Object.keys(hints).length > 0 ? { hints } : {}
}

export const withoutMissing = <Fields extends object>(
  fields: {
    [Name in keyof Fields]: Fields[Name] | null | undefined
  },
): Partial<Fields> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as Partial<Fields>

interface Format {
  type: string
  name?: string
  schema?: object
  strict?: boolean | null
}

export function readFormat(format: Format | null | undefined): Partial<ModelRequest> {
  if (format?.type === 'json_object') return { responseFormat: { type: 'json_object' } }
  if (format?.type !== 'json_schema') return {}
  const { name = 'answer', schema = {}, strict } = format
  const responseFormat = { type: 'json_schema' as const, name, schema: schema as Record<string, unknown> }
  return { responseFormat: { ...responseFormat, ...(typeof strict === 'boolean' && { strict }) } }
}

export const readEffort = (effort: Effort | null | undefined): Partial<ModelRequest> =>
  effort ? { effort, ...(!NO_EFFORT.includes(effort) && { thinking: true }) } : {}

const NO_EFFORT: readonly Effort[] = ['none', 'minimal']

const isInstruction = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer'

async function readMessages(
  net: Net,
  messages: readonly ChatMessage[],
  parts: ReturnType<typeof chatParts>,
): Promise<ModelMessage[]> {
  const names = new Map<string, string>()
  const images = countImages(messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])))
  if (images > IMAGES_MAX) throw refuse(sentence('openai.images_max', { limit: IMAGES_MAX }))
  const budget = newImageBudget()
  const read: ModelMessage[] = []
  for (const [index, message] of messages.entries()) {
    const at = `messages.${index}`
    checkParts(`${at}.content`, message.content)
    if (isInstruction(message)) continue
    if (message.role === 'tool') {
      const id = message.tool_call_id ?? ''
      const toolName = names.get(id)
      if (toolName === undefined) throw refuse(sentence('openai.tool_call_id', { field: at }))
      read.push({ role: 'tool', toolCallId: id, toolName, output: plainText(message.content) })
    } else if (message.role === 'assistant') {
      const toolCalls = (message.tool_calls ?? []).map((call, place) =>
        readChatCall(call, `${at}.tool_calls.${place}`),
      )
      for (const { id, name } of toolCalls) names.set(id, name)
      const content = plainText(message.content) + (message.refusal ?? '')
      read.push({ role: 'assistant', content, ...(toolCalls.length > 0 && { toolCalls }) })
    } else read.push({ role: 'user', content: await readContent(net, budget, at, message.content, parts) })
  }
  return read
}

const countImages = (parts: readonly { type: string }[]): number =>
  parts.filter(({ type }) => type === 'image_url').length

const refuse = (reason: string) => fail('request.invalid', { reason })
