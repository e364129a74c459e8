import type { Models } from '#platform/models/index.ts'
import type { ModelRequest, ModelResult, ModelTarget, ToolCall } from '#platform/models/types.ts'

/** A complete reply with its streamed output. */
export interface CollectedReply extends ModelResult {
  text: string
  reasoning: string
  toolCalls: ToolCall[]
  /** The chunks of the text, as received. */
  pieces: string[]
}

export async function collectReply(
  models: Models,
  target: ModelTarget,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<CollectedReply> {
  const pieces: string[] = []
  const toolCalls: ToolCall[] = []
  let reasoning = ''
  const sink = {
    text: (text: string) => void pieces.push(text),
    reasoning: (text: string) => {
      reasoning += text
    },
    toolCall: (call: ToolCall) => void toolCalls.push(call),
  }
  const result = await models.stream(target, request, sink, signal)
  return { ...result, text: pieces.join(''), pieces, reasoning, toolCalls }
}
