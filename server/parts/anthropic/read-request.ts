import { fail, sentence } from '#errors'
import type { Hints, ModelRequest } from '#platform/models/types.ts'
import { joinVisible, readChoice, readExtra, readFormat, withoutMissing } from '../openai/index.ts'
import type { BlockServices } from './read-blocks.ts'
import { readMessages } from './read-messages.ts'
import { type CountRequest, MessagesRequest } from './schemas.ts'

/** Fields that would change the reply and that no model supports. */
const REFUSED = ['mcp_servers', 'container'] as const

/** Converts a request of Anthropic's Messages API to a model request. Throws request.invalid. */
export async function readMessagesRequest(
  services: BlockServices,
  body: MessagesRequest,
): Promise<ModelRequest> {
  const { stop_sequences: stop, max_tokens: maxTokens } = body
  return {
    ...(await readPrompt(services, body)),
    maxTokens,
    maxTokensIncludeThinking: true,
    ...withoutMissing<Pick<ModelRequest, 'temperature' | 'topP' | 'topK' | 'stop'>>({
      temperature: body.temperature,
      topP: body.top_p,
      topK: body.top_k,
      stop: stop?.length ? stop : null,
    }),
    ...readHints(body),
    ...readExtra(MessagesRequest, body, [...REFUSED, 'thread']),
  }
}

/** Converts the fields that determine the number of tokens of a prompt. Throws request.invalid. */
export async function readPrompt(services: BlockServices, body: CountRequest): Promise<ModelRequest> {
  refuseThread(body)
  refuseFields(body)
  const { system, thinking, output_config: config } = body
  const text = typeof system === 'string' ? system : joinVisible((system ?? []).map((block) => block.text))
  return {
    ...(text !== '' && { system: text }),
    messages: await readMessages(services, body.messages),
    ...readTools(body),
    ...(thinking && { thinking: thinking.type !== 'disabled' }),
    ...(thinking?.budget_tokens && { thinkingTokens: thinking.budget_tokens }),
    ...(config?.effort && { effort: config.effort }),
    ...(config?.format && readFormat({ ...config.format, strict: true })),
  }
}

/**
 * Refuses threads, which the server would have to store, with the details by which Anthropic's SDK recognizes that it
 * has to send the whole conversation.
 */
function refuseThread(body: object): void {
  if (!(body as { thread?: unknown }).thread) return
  const more = { error_code: 'thread_unsupported_request', unsupported: ['thread'] }
  throw fail('anthropic.no_threads', {}, { more })
}

function refuseFields(body: object): void {
  for (const field of REFUSED) {
    const value = (body as Record<string, unknown>)[field]
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue
    throw fail(
      'request.invalid',
      { reason: sentence('anthropic.unsupported', { field }) },
      { issues: [{ path: field, message: 'is not supported' }] },
    )
  }
}

function readTools({ tools, tool_choice: choice }: CountRequest): Partial<ModelRequest> {
  const read = (tools ?? []).map(({ type, name, description, input_schema: parameters }, index) => {
    if (type && type !== 'custom')
      throw refuse(sentence('anthropic.tool_type', { field: `tools.${index}`, type }))
    if (!parameters) throw refuse(sentence('anthropic.block_field', { field: `tools.${index}.input_schema` }))
    return { name, description: description ?? '', parameters: parameters as Record<string, unknown> }
  })
  const demanded = choice?.type === 'tool' ? { name: choice.name ?? '' } : choice?.type
  return {
    ...(read.length > 0 && { tools: read }),
    ...readChoice(demanded === 'any' ? 'required' : demanded, read),
    ...(choice?.disable_parallel_tool_use && { parallelToolCalls: false }),
  }
}

function readHints(body: MessagesRequest): Partial<ModelRequest> {
  const hints = withoutMissing<Hints>({
    user: body.metadata?.user_id,
    serviceTier: body.service_tier,
    cacheTtl: cacheTtlOf(body),
  })
  return Object.keys(hints).length > 0 ? { hints } : {}
}

/** Returns the longest time for which the request wants a part of its prompt to be cached. */
function cacheTtlOf({ cache_control, system, tools, messages }: MessagesRequest): Hints['cacheTtl'] | null {
  const parts: readonly { cache_control?: MessagesRequest['cache_control'] }[] = [
    { cache_control },
    ...(Array.isArray(system) ? system : []),
    ...(tools ?? []),
    ...messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])),
  ]
  const marks = parts.flatMap((part) => part.cache_control ?? [])
  if (marks.length === 0) return null
  return marks.some(({ ttl }) => ttl === '1h') ? '1h' : '5m'
}

const refuse = (reason: string) => fail('request.invalid', { reason })
