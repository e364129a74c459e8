import { withFormatInstruction } from './response-format.ts'
import { signedBy } from './signatures.ts'
import { callableTools, demandsCall } from './tool-choice.ts'
import { type ToolResult, type Turn, turnsOf } from './turns.ts'
import type { ContentPart, ModelRequest, ModelTarget, ToolCall, ToolChoice, ToolDefinition } from './types.ts'

/** The Messages API requires max_tokens. This default applies to requests without a limit. */
const MAX_TOKENS_DEFAULT = 8_192
/** Tokens added to max_tokens for thinking. Also the thinking budget of models that require a budget. */
const THINKING_BUDGET_TOKENS = 8_192

/** Returns the body of a request to the Messages API. https://platform.claude.com/docs/en/api/messages */
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
function toolsOf(model: string, request: ModelRequest): Record<string, unknown> {
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
 * require a token budget; later models think adaptively. After a tool result, thinking requires the thinking blocks
 * that preceded the call. A request cannot combine thinking with a forced tool call.
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

/**
 * Returns the sampling settings. Models since 4.7 accept none. Earlier models accept temperature or top_p, but not
 * both.
 */
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
 * Returns the version as major * 100 + minor: 307 for claude-3-7-sonnet, 401 for claude-opus-4-1-20250805. Returns
 * undefined for models that aren't Claude.
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
