import { openAiCodeOf } from '#platform/http/wire-errors.ts'
import type { Outcome } from '../../llm/index.ts'
import { conversationIdOf } from './history.ts'
import type { ItemView } from './items.ts'
import type { ResponseRequest, ResponseTool } from './schemas.ts'

export type ResponseView = ReturnType<typeof viewResponse> & {
  /** Why the response is not stored, although the request wants it. */
  not_stored?: string
}

interface Progress {
  /** UUID of the response. */
  id: string
  /** Unix time in seconds. */
  created: number
  /** The model that answers. */
  model: string
  isStored: boolean
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  output: ItemView[]
  /** Null until the model has ended. */
  outcome: Outcome | null
}

/**
 * Returns a response in OpenAI's format. Parameters that the request omits have OpenAI's defaults.
 * https://platform.openai.com/docs/api-reference/responses/object
 */
export function viewResponse(
  body: ResponseRequest,
  { id, created, model, isStored, status, output, outcome }: Progress,
) {
  const { failure = null } = outcome ?? {}
  return {
    id: `resp_${id}`,
    object: 'response' as const,
    created_at: created,
    completed_at: status === 'completed' ? Math.floor(Date.now() / 1000) : null,
    status,
    background: false,
    error: failure && { code: openAiCodeOf(failure), message: failure.message },
    conversation: body.conversation ? { id: conversationIdOf(body.conversation) } : null,
    incomplete_details: status === 'incomplete' ? { reason: reasonOf(outcome) } : null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    model,
    output,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: body.reasoning?.summary ?? null },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: tierOf(body.service_tier),
    store: isStored,
    temperature: body.temperature ?? 1,
    text: {
      format: formatOf(body.text?.format),
      ...(body.text?.verbosity && { verbosity: body.text.verbosity }),
    },
    tool_choice: body.tool_choice ?? 'auto',
    tools: (body.tools ?? []).map(viewTool),
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    frequency_penalty: body.frequency_penalty ?? 0,
    presence_penalty: body.presence_penalty ?? 0,
    truncation: body.truncation ?? 'disabled',
    usage: outcome && usageOf(outcome),
    user: body.user ?? null,
    metadata: body.metadata ?? {},
  }
}

function viewTool(tool: ResponseTool) {
  if (tool.type !== 'function') return tool
  const { type, name, description = null, parameters = null, strict } = tool
  return { type, name, description, parameters, strict: strict ?? false }
}

const reasonOf = (outcome: Outcome | null): string =>
  outcome?.finishReason === 'content_filter' ? 'content_filter' : 'max_output_tokens'

/** `auto` leaves the choice of the tier to the provider, which is the default one. */
const tierOf = (tier: string | null | undefined): string => (tier && tier !== 'auto' ? tier : 'default')

type Format = NonNullable<NonNullable<ResponseRequest['text']>['format']>

function formatOf(format: Format | undefined) {
  if (!format || !('schema' in format)) return { type: format?.type ?? 'text' }
  const { type, name, schema, strict } = format
  return { type, name, description: null, schema, strict: strict ?? false }
}

export function usageOf({ usage }: Outcome) {
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0, reasoningTokens = 0 } = usage ?? {}
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  }
}
