import type { ChatCompletionRequest, ChatMessage } from './schemas.ts'

/** Returns whether a request uses `functions`, the older form of tools. Its response then has the older form, too. */
export const usesFunctions = ({ functions, tools }: ChatCompletionRequest): boolean =>
  (functions?.length ?? 0) > 0 && !tools?.length

/** Converts `functions`, `function_call` and messages of the role `function` to tools and their results. */
export function withTools(body: ChatCompletionRequest): ChatCompletionRequest {
  const { functions, function_call: choice, ...rest } = body
  const messages = withToolCalls(body.messages)
  if (!usesFunctions(body)) return { ...rest, messages }
  return {
    ...rest,
    messages,
    tools: (functions ?? []).map((one) => ({ type: 'function', function: one })),
    ...(choice && {
      tool_choice: typeof choice === 'string' ? choice : { type: 'function', function: choice },
    }),
    parallel_tool_calls: false,
  }
}

/** A message of the role `function` answers the call before it. */
function withToolCalls(messages: ChatMessage[]): ChatMessage[] {
  let id = ''
  return messages.map(({ function_call: called, ...message }, index) => {
    if (message.role === 'function') return { ...message, role: 'tool', tool_call_id: id }
    if (!called) return message
    id = `function_${index}`
    return { ...message, tool_calls: [{ id, function: called }] }
  })
}
