import { withFormatInstruction } from './response-format.ts'
import { signedBy } from './signatures.ts'
import { callableTools, demandsCall } from './tool-choice.ts'
import { type ToolResult, type Turn, turnsOf } from './turns.ts'
import type { ContentPart, ModelRequest, ModelTarget, ToolCall, ToolChoice, ToolDefinition } from './types.ts'

/** The API requires max_tokens. This is the default for requests without one. */
const MAX_TOKENS_DEFAULT = 8_192
/** Thinking budget in tokens for models that require one, added to the reply's max_tokens. */
const THINKING_BUDGET_TOKENS = 8_192

/** Returns the request body for the Messages API. https://platform.claude.com/docs/en/api/messages */
export function anthropicBody({ model }: ModelTarget, original: ModelRequest): Record<string, unknown> {
  const format = formatOf(model, original)
  const request = format ? original : withFormatInstruction(original)
  const { system, messages, stop, maxTokens = MAX_TOKENS_DEFAULT } = request
  const thinking = thinkingOf(model, request)
  return {
    model,
    stream: true,
    max_tokens: thinking ? maxTokens + THINKING_BUDGET_TOKENS : maxTokens,
    ...(system !== undefined && { system }),
    messages: turnsOf(messages).map((turn) => turnOf(turn, thinking !== undefined)),
    ...(thinking ? { thinking } : sampling(model, request)),
    ...(stop && stop.length > 0 && { stop_sequences: stop }),
    ...(format && { output_config: { format } }),
    ...toolsOf(model, request),
  }
}

/**
 * Returns the output format. Returns undefined if none is requested, or if the API cannot enforce it. The API enforces
 * only strict schemas (closed objects), on Opus 4.1 and on models since 4.5.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
function formatOf(model: string, { responseFormat }: ModelRequest): object | undefined {
  if (responseFormat?.type !== 'json_schema' || !responseFormat.strict) return undefined
  const holdsTo = (versionOf(model) ?? 0) >= CLAUDE_4_1
  return holdsTo ? { type: 'json_schema', schema: responseFormat.schema } : undefined
}

/**
 * Models that reject a forced tool_choice. They are offered only the demanded tools with `auto`, and may still call
 * none.
 */
const TAKES_NO_DEMANDS = /claude-(opus|sonnet)-5[-.]5|claude-fable-5[-.][12]/

/** https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use */
function toolsOf(model: string, request: ModelRequest): Record<string, unknown> {
  const { toolChoice, parallelToolCalls } = request
  const isBeyond = demandsCall(toolChoice) && TAKES_NO_DEMANDS.test(model)
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
 * Returns the thinking setting. Claude models think since 3.7: up to 4.5 within a token budget, 4.6 with a budget or
 * adaptively, since 4.7 only adaptively. After a tool result, thinking requires the thinking blocks that preceded the
 * call. It cannot be combined with a forced tool call.
 * https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking
 */
function thinkingOf(model: string, { thinking, messages, toolChoice }: ModelRequest): object | undefined {
  const version = versionOf(model) ?? CLAUDE_4_5
  const lastCall = messages.findLast((message) => message.role === 'assistant')?.toolCalls?.[0]
  const isBetweenCalls = messages.at(-1)?.role === 'tool'
  const lacksThoughts = isBetweenCalls && lastCall !== undefined && thoughtsOf(lastCall).length === 0
  if (!thinking || version < CLAUDE_3_7 || lacksThoughts || demandsCall(toolChoice)) return undefined
  return version > CLAUDE_4_5
    ? { type: 'adaptive', display: 'summarized' }
    : { type: 'enabled', budget_tokens: THINKING_BUDGET_TOKENS }
}

/** Models since 4.7 accept no sampling settings. Earlier models accept either temperature or top_p. */
function sampling(model: string, { temperature, topP }: ModelRequest): Record<string, number> {
  if ((versionOf(model) ?? CLAUDE_4_5) > CLAUDE_4_6) return {}
  if (temperature !== undefined) return { temperature }
  return topP === undefined ? {} : { top_p: topP }
}

const CLAUDE_3_7 = 307
const CLAUDE_4_1 = 401
const CLAUDE_4_5 = 405
const CLAUDE_4_6 = 406

/**
 * Returns major * 100 + minor: 307 for claude-3-7-sonnet, 401 for claude-opus-4-1-20250805. Returns undefined for
 * models of other vendors behind this API.
 */
function versionOf(model: string): number | undefined {
  const [, major, minor = 0] = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model) ?? []
  return major === undefined ? undefined : Number(major) * 100 + Number(minor)
}

const toolOf = ({ name, description, parameters }: ToolDefinition) => ({
  name,
  description,
  input_schema: parameters,
})

function turnOf(turn: Turn, isThinking: boolean): object {
  if (Array.isArray(turn)) return { role: 'user', content: turn.map(toolResultOf) }
  if (turn.role === 'user') return { role: 'user', content: contentOf(turn.content) }
  const [first] = turn.toolCalls ?? []
  return {
    role: 'assistant',
    content: [
      ...(first && isThinking ? thoughtsOf(first) : []),
      ...(turn.content === '' ? [] : [{ type: 'text', text: turn.content }]),
      ...(turn.toolCalls ?? []).map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
    ],
  }
}

const thoughtsOf = (call: ToolCall): object[] => JSON.parse(signedBy('anthropic', call) ?? '[]') as object[]

const toolResultOf = ({ toolCallId, output }: ToolResult): object => ({
  type: 'tool_result',
  tool_use_id: toolCallId,
  content: output,
})

const contentOf = (content: string | ContentPart[]): unknown =>
  typeof content === 'string' ? content : content.map(partOf)

const partOf = (part: ContentPart): object =>
  part.type === 'text'
    ? part
    : {
        type: 'image',
        source: {
          type: 'base64',
          media_type: part.mimeType,
          data: Buffer.from(part.data).toString('base64'),
        },
      }
