import { reasonFor } from '#errors'
import { isBlank } from '../http/visible-text.ts'
import { CLAUDE_3_7, CLAUDE_4_1, CLAUDE_4_5, CLAUDE_4_6, versionOf } from './claude-versions.ts'
import { withFormatInstruction } from './response-format.ts'
import { signedBy } from './signatures.ts'
import { callableTools, demandsCall } from './tool-choice.ts'
import { type ToolResult, type Turn, turnsOf } from './turns.ts'
import {
  type ContentPart,
  type Effort,
  ModelError,
  type ModelRequest,
  type ModelTarget,
  type ToolCall,
  type ToolChoice,
  type ToolDefinition,
} from './types.ts'

/** The Messages API requires max_tokens. This default applies to requests without a limit. */
const MAX_TOKENS_DEFAULT = 8_192
/** The smallest budget that the API accepts. A budget must also be smaller than max_tokens. */
const THINKING_BUDGET_MIN = 1_024
/** Maximum share of max_tokens for thinking, unless the client chose the budget. The rest is left for the text. */
const THINKING_SHARE_MAX = 0.8
/** Tokens added to max_tokens for thinking. Also the thinking budget of models that require a budget. */
const THINKING_BUDGET_TOKENS: Record<Effort, number> = {
  none: 0,
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
}

/** Returns the body of a request to the Messages API. https://platform.claude.com/docs/en/api/messages */
export function anthropicBody({ model }: ModelTarget, original: ModelRequest): Record<string, unknown> {
  const format = formatOf(model, original)
  const request = format ? original : withFormatInstruction(original)
  const { stop, hints = {} } = request
  const thinking = thinkingOf(model, request)
  const effort = effortOf(model, request)
  return {
    model,
    stream: true,
    max_tokens: anthropicMaxTokens(model, request),
    ...promptOf(model, request, thinking !== undefined),
    ...(thinking ? { thinking } : sampling(request)),
    ...(hints.user !== undefined && { metadata: { user_id: hints.user } }),
    ...(hints.serviceTier !== undefined && { service_tier: hints.serviceTier }),
    ...(stop && stop.length > 0 && { stop_sequences: stop }),
    ...((format || effort) && { output_config: { ...(format && { format }), ...(effort && { effort }) } }),
  }
}

/** Returns the largest output of a request, including thinking. */
export const anthropicMaxTokens = (model: string, request: ModelRequest): number =>
  maxTokensOf(request) +
  (thinkingOf(model, request) && !request.maxTokensIncludeThinking ? budgetOf(request) : 0)

const maxTokensOf = ({ maxTokens = MAX_TOKENS_DEFAULT }: ModelRequest): number => maxTokens

/**
 * Returns the tools, the system prompt and the messages. The provider caches the prompt up to each `cache_control`:
 * the tools with the system prompt, and the conversation. The next request of the conversation reads them from the
 * cache. https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
function promptOf(model: string, request: ModelRequest, isThinking: boolean): Record<string, unknown> {
  const { system = '', messages, hints = {} } = request
  const cache_control = { type: 'ephemeral', ...(hints.cacheTtl === '1h' && { ttl: '1h' }) }
  const { tools = [], ...choice } = toolsOf(model, request)
  const turns = sentTurnsOf(messages, isThinking)
  const marked = (blocks: readonly object[]): object[] =>
    blocks.map((block, index) => (index === blocks.length - 1 ? { ...block, cache_control } : block))
  const last = turns.at(-1)
  return {
    ...(tools.length > 0 && { tools: system === '' ? marked(tools) : tools }),
    ...choice,
    ...(system !== '' && { system: marked([{ type: 'text', text: system }]) }),
    messages: last ? [...turns.slice(0, -1), { ...last, content: marked(last.content) }] : [],
  }
}

/**
 * Returns the output format. Returns undefined if the request has none or the model cannot enforce it. Models enforce
 * only strict schemas (closed objects), and only Opus 4.1 and models since 4.5 do so.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
function formatOf(model: string, { responseFormat }: ModelRequest): object | undefined {
  if (responseFormat?.type !== 'json_schema' || !responseFormat.strict) return undefined
  const holdsTo = (versionOf(model) ?? 0) >= CLAUDE_4_1
  return holdsTo ? { type: 'json_schema', schema: responseFormat.schema } : undefined
}

/**
 * Models that reject a forced tool call. The request offers such a model only the demanded tools, with `auto`, so the
 * reply may still contain no call.
 */
const REJECTS_FORCED_CALL = /claude-(opus|sonnet)-5[-.]5|claude-fable-5[-.][12]/

/**
 * Returns the tool fields of a request.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use
 */
function toolsOf(model: string, request: ModelRequest): { tools?: object[]; tool_choice?: object } {
  const { toolChoice, parallelToolCalls } = request
  const isBeyond = demandsCall(toolChoice) && REJECTS_FORCED_CALL.test(model)
  const tools = isBeyond ? callableTools(request) : (request.tools ?? [])
  if (tools.length === 0) return {}
  const choice = isBeyond ? { type: 'auto' } : choiceOf(toolChoice)
  const isOne = parallelToolCalls === false && toolChoice !== 'none'
  return {
    tools: tools.map(toolOf),
    ...((toolChoice !== undefined || isOne) && {
      tool_choice: { ...choice, ...(isOne && { disable_parallel_tool_use: true }) },
    }),
  }
}

function choiceOf(choice: ToolChoice = 'auto'): object {
  if (typeof choice === 'object') return { type: 'tool', name: choice.name }
  return { type: choice === 'required' ? 'any' : choice }
}

/**
 * Returns the thinking setting, or undefined to disable thinking. Models before 3.7 cannot think. Models up to 4.5
 * require a token budget, within max_tokens; later models think adaptively. After a tool result, thinking requires the
 * thinking blocks that preceded the call. A request cannot combine thinking with a forced tool call.
 * https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking
 */
function thinkingOf(model: string, request: ModelRequest): object | undefined {
  const { thinking, messages, toolChoice } = request
  const version = versionOf(model) ?? CLAUDE_4_5
  const lastCall = messages.findLast((message) => message.role === 'assistant')?.toolCalls?.[0]
  const isBetweenCalls =
    messages.findLast(({ role }) => role === 'assistant' || role === 'tool')?.role === 'tool'
  const lacksThoughts = isBetweenCalls && lastCall !== undefined && thoughtsOf(lastCall).length === 0
  if (!thinking || version < CLAUDE_3_7 || lacksThoughts || demandsCall(toolChoice)) return undefined
  if (version > CLAUDE_4_5) return { type: 'adaptive', display: 'summarized' }
  const budget = budgetOf(request)
  return budget < THINKING_BUDGET_MIN ? undefined : { type: 'enabled', budget_tokens: budget }
}

function budgetOf(request: ModelRequest): number {
  const { effort = 'medium', thinkingTokens, maxTokensIncludeThinking: isWithin } = request
  const tokens = thinkingTokens ?? THINKING_BUDGET_TOKENS[effort]
  if (!isWithin) return tokens
  const maxTokens = maxTokensOf(request)
  const most = thinkingTokens === undefined ? Math.floor(maxTokens * THINKING_SHARE_MAX) : maxTokens - 1
  return Math.min(tokens, most)
}

/**
 * Returns the effort of models that think adaptively, or undefined for the default. They know no `minimal`, and 4.6
 * knows no `xhigh`. https://platform.claude.com/docs/en/build-with-claude/effort
 */
function effortOf(model: string, { effort }: ModelRequest): string | undefined {
  const version = versionOf(model) ?? CLAUDE_4_5
  if (version <= CLAUDE_4_5 || effort === undefined || effort === 'none') return undefined
  if (effort === 'minimal') return 'low'
  return effort === 'xhigh' && version === CLAUDE_4_6 ? 'high' : effort
}

/** Returns the sampling settings. The API accepts temperature or top_p, but not both. */
const sampling = ({ temperature, topP, topK }: ModelRequest): Record<string, number> => ({
  ...(temperature !== undefined ? { temperature } : topP !== undefined && { top_p: topP }),
  ...(topK !== undefined && { top_k: topK }),
})

const toolOf = ({ name, description, parameters }: ToolDefinition) => ({
  name,
  description,
  input_schema: parameters,
})

interface SentTurn {
  role: string
  content: object[]
}

/** Returns the turns. Results of tools and the user's message after them become one turn. */
function sentTurnsOf(messages: ModelRequest['messages'], isThinking: boolean): SentTurn[] {
  const sent: SentTurn[] = []
  const turns = turnsOf(messages)
  for (const turn of turns) {
    const { role, content } = turnOf(turn, isThinking, turn === turns.at(-1))
    const last = sent.at(-1)
    if (last?.role === role && role === 'user') last.content.push(...content)
    else sent.push({ role, content })
  }
  return sent
}

/** The API refuses trailing white space in a last turn that the model continues. */
function turnOf(turn: Turn, isThinking: boolean, isLast: boolean): SentTurn {
  if (Array.isArray(turn)) return { role: 'user', content: turn.map(toolResultOf) }
  if (turn.role === 'user') return { role: 'user', content: contentOf(turn.content) }
  const [first] = turn.toolCalls ?? []
  return {
    role: 'assistant',
    content: [
      ...(first && isThinking ? thoughtsOf(first) : []),
      ...(turn.content === ''
        ? []
        : [{ type: 'text', text: isLast ? turn.content.trimEnd() : turn.content }]),
      ...(turn.toolCalls ?? []).map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
    ],
  }
}

const thoughtsOf = (call: ToolCall): object[] => JSON.parse(signedBy('anthropic', call) ?? '[]') as object[]

const toolResultOf = ({ toolCallId, output, isError }: ToolResult): object => ({
  type: 'tool_result',
  tool_use_id: toolCallId,
  ...(!isBlank(output) && { content: output }),
  ...(isError && { is_error: true }),
})

const contentOf = (content: string | ContentPart[]): object[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(partOf)

function partOf(part: ContentPart): object {
  if (part.type === 'text') return part
  if (part.type === 'audio') throw new ModelError(reasonFor('model.no_audio'), { kind: 'request' })
  const data = Buffer.from(part.data).toString('base64')
  return { type: 'image', source: { type: 'base64', media_type: part.mimeType, data } }
}
