import { payableUsage } from './payable-usage.ts'
import { splitThoughts } from './think-tags.ts'
import type { ModelRequest, ModelResult, ModelSink, ModelUsage, ToolCall } from './types.ts'

interface StepOutput {
  content: string
  reasoning: string
  toolCalls: ToolCall[]
}

/** One model call of the tool loop, with its request, its output so far and its result. */
export class LoopStep {
  readonly request: ModelRequest
  readonly written: StepOutput = { content: '', reasoning: '', toolCalls: [] }
  result: ModelResult | undefined

  constructor(request: ModelRequest) {
    this.request = request
  }

  /** Moves thoughts without an opening tag from the text to the reasoning. Returns true if there are any. */
  separateThoughts(): boolean {
    const { written } = this
    const split = splitThoughts(written.content)
    if (!split) return false
    written.content = split.content
    written.reasoning += split.reasoning
    return true
  }

  get hasOutput(): boolean {
    const { content, reasoning, toolCalls } = this.written
    return content !== '' || reasoning !== '' || toolCalls.length > 0
  }

  /**
   * Returns a sink that records this step's output and forwards it to `sink`. An empty line separates the outputs of
   * two steps. `withOwnId` returns a tool call with an id that is not in use.
   */
  sinkTo(sink: ModelSink, earlier: readonly LoopStep[], withOwnId: (call: ToolCall) => ToolCall): ModelSink {
    const { written, request } = this
    const textParting = partingFrom(earlier.map((step) => step.written.content))
    const reasoningParting = partingFrom(earlier.map((step) => step.written.reasoning))
    const refusal = (text: string): void => {
      written.content += text
      sink.refusal?.(text)
    }
    return {
      text(text, logprobs) {
        if (written.content === '' && textParting !== '') sink.text(textParting)
        written.content += text
        sink.text(text, logprobs)
      },
      ...(sink.refusal && { refusal }),
      reasoning(text) {
        if (written.reasoning === '' && reasoningParting !== '') sink.reasoning(reasoningParting)
        written.reasoning += text
        sink.reasoning(text)
      },
      toolCall(call) {
        // Some servers ignore a tool_choice of `none`. Drop their calls.
        if (request.toolChoice === 'none') return
        const own = withOwnId(call)
        written.toolCalls.push(own)
        sink.toolCall(own)
      },
      thought: (block) => sink.thought?.(block),
    }
  }

  /**
   * Returns the usage to charge, or null if the step failed before its first token. Unless `trustsUsage` is true,
   * counts tokens locally and ignores the provider's usage.
   */
  payable(hasFailed: boolean, trustsUsage: boolean): Promise<ModelUsage | null> {
    const isCutOff = this.result === undefined
    const reported = trustsUsage ? (this.result?.usage ?? null) : null
    return payableUsage(reported, this.written, this.request, hasFailed && isCutOff)
  }
}

/** Returns the line breaks to add so that an empty line follows the last non-empty string. */
function partingFrom(texts: string[]): string {
  const last = texts.findLast((text) => text !== '')
  if (last === undefined || last.endsWith('\n\n')) return ''
  return last.endsWith('\n') ? '\n' : '\n\n'
}
