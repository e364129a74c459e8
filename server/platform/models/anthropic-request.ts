import { withFormatInstruction } from './response-format.ts'
import { signedBy } from './signatures.ts'
import { callableTools, demandsCall } from './tool-choice.ts'
import { type ToolResult, type Turn, turnsOf } from './turns.ts'
import type { ContentPart, ModelRequest, ModelTarget, ToolCall, ToolChoice, ToolDefinition } from './types.ts'

/** The format demands a bound on the reply; this one stands where the request names none. */
const MAX_TOKENS_DEFAULT = 8_192
/** Tokens for thinking: what a model is given that wants a budget. They come on top of the reply's own. */
const THINKING_BUDGET_TOKENS = 8_192

/** What Anthropic's messages are asked for with. https://platform.claude.com/docs/en/api/messages */
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
 * Models since 4.5, and Opus 4.1, hold a reply to a schema, if it is a strict one: closed objects. Other models, a looser
 * schema and "some JSON object" are asked for in words: the format has nothing for them.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
function formatOf(model: string, { responseFormat }: ModelRequest): object | undefined {
  if (responseFormat?.type !== 'json_schema' || !responseFormat.strict) return undefined
  const holdsTo = (versionOf(model) ?? 0) >= CLAUDE_4_1
  return holdsTo ? { type: 'json_schema', schema: responseFormat.schema } : undefined
}

/** Of these a call can not be demanded: they are offered nothing but what is demanded, and may still not call it. */
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
 * Claude 3.7 was the first to think; up to 4.5 within a budget, since 4.6 as it sees fit, since 4.7 in no other way.
 * A turn that goes on after a tool's result thinks only if the thoughts before the call come along, and one of which a
 * call is demanded does not think.
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

/** Models since 4.7 take no sampling settings; those before take one of them. */
function sampling(model: string, { temperature, topP }: ModelRequest): Record<string, number> {
  if ((versionOf(model) ?? CLAUDE_4_5) > CLAUDE_4_6) return {}
  if (temperature !== undefined) return { temperature }
  return topP === undefined ? {} : { top_p: topP }
}

const CLAUDE_3_7 = 307
const CLAUDE_4_1 = 401
const CLAUDE_4_5 = 405
const CLAUDE_4_6 = 406

/** Of claude-3-7-sonnet 307, of claude-opus-4-1-20250805 401; undefined for another's model behind this format. */
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
