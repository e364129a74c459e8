import { fail, sentence } from '#errors'
import { readCallArguments } from '#platform/models/call-arguments.ts'
import { argumentsTextOf, callOf } from '#platform/models/tool-calls.ts'
import type { ToolCall } from '#platform/models/types.ts'
import { ClientTools, type SentTool, type SentTools } from './client-tools.ts'
import { customArguments, customInput } from './custom-tools.ts'
import type { ChatCompletionRequest, ChatTool, ChatToolCall } from './schemas.ts'

/* Tools and calls in the form of chat completions, which nest what Responses have beside the type. */

/** Reads the tools of a request. Throws request.invalid for a tool that lacks its function or custom tool. */
export function readChatTools({
  tools,
  tool_choice: choice,
}: Pick<ChatCompletionRequest, 'tools' | 'tool_choice'>): ClientTools {
  const sent = (tools ?? []).map((tool, index) => flatTool(tool, `tools.${index}`))
  return new ClientTools({ tools: sent, tool_choice: choice ? flatChoice(choice) : null })
}

type Choice = NonNullable<SentTools['tool_choice']>

function flatTool({ type, function: called, custom }: ChatTool, at: string): SentTool {
  if (type === 'function') return { type, ...present(called, `${at}.function`) }
  if (type !== 'custom') return { type }
  const { format, ...tool } = present(custom, `${at}.custom`)
  return { type, ...tool, format: format?.grammar ?? null }
}

function flatChoice(choice: NonNullable<ChatCompletionRequest['tool_choice']>): Choice {
  if (typeof choice === 'string') return choice
  const { type, allowed_tools: allowed } = choice
  if (type !== 'allowed_tools') return flatNamed(choice, 'tool_choice')
  const { mode, tools } = present(allowed, 'tool_choice.allowed_tools')
  const named = tools.map((tool, index) => flatNamed(tool, `tool_choice.allowed_tools.tools.${index}`))
  return { type, mode, tools: named }
}

interface Named {
  type: string
  function?: { name: string } | null
  custom?: { name: string } | null
}

function flatNamed({ type, function: called, custom }: Named, at: string): { type: string; name?: string } {
  if (type !== 'function' && type !== 'custom') return { type }
  const { name } = present(type === 'function' ? called : custom, `${at}.${type}`)
  return { type, name }
}

/**
 * Reads a tool call of the history. Clients repeat arguments as the model wrote them, so broken ones are no error: the
 * model then sees its call without arguments, and the result that says so.
 */
export const readCall = (
  id: string,
  { name, arguments: text }: { name: string; arguments: string },
): ToolCall => callOf(id, name, readCallArguments(text))

/** Reads a call of the history in the form of chat completions. Throws request.invalid if it names no tool. */
export function readChatCall({ id, type, function: called, custom }: ChatToolCall, at: string): ToolCall {
  if (type !== 'custom') return readCall(id, present(called, `${at}.function`))
  const { name, input } = present(custom, `${at}.custom`)
  return { id, name, input: customArguments(input) }
}

/** Returns a call in the form in which the request defines the tool. */
export function viewChatCall(tools: ClientTools, call: ToolCall) {
  const { id } = call
  const { isCustom, name } = tools.toolOf(call)
  return isCustom
    ? { id, type: 'custom', custom: { name, input: customInput(call) } }
    : { id, type: 'function', function: { name, arguments: argumentsTextOf(call) } }
}

function present<Value>(value: Value | null | undefined, field: string): Value {
  if (value) return value
  throw fail('request.invalid', { reason: sentence('openai.tool_field', { field }) })
}
