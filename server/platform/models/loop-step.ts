import { payableUsage } from './payable-usage.ts'
import type { ModelRequest, ModelResult, ModelSink, ModelUsage, ToolCall } from './types.ts'

/** The output of a step. */
interface StepOutput {
  content: string
  reasoning: string
  toolCalls: ToolCall[]
}

/** One model call of the tool loop: its request, its output so far and its usage. */
export class LoopStep {
  readonly request: ModelRequest
  readonly written: StepOutput = { content: '', reasoning: '', toolCalls: [] }
  result: ModelResult | undefined

  constructor(request: ModelRequest) {
    this.request = request
  }

  /**
   * Returns a sink that records the output and passes it on, separated by an empty line from the output of earlier
   * steps. `withOwnId` returns the call with a unique id.
   */
  sinkTo(sink: ModelSink, earlier: readonly LoopStep[], withOwnId: (call: ToolCall) => ToolCall): ModelSink {
    const { written, request } = this
    const textParting = partingFrom(earlier.map((step) => step.written.content))
    const reasoningParting = partingFrom(earlier.map((step) => step.written.reasoning))
    return {
      text(text) {
        if (written.content === '' && textParting !== '') sink.text(textParting)
        written.content += text
        sink.text(text)
      },
      reasoning(text) {
        if (written.reasoning === '' && reasoningParting !== '') sink.reasoning(reasoningParting)
        written.reasoning += text
        sink.reasoning(text)
      },
      toolCall(call) {
        // Some servers ignore a tool_choice of `none`.
        if (request.toolChoice === 'none') return
        const own = withOwnId(call)
        written.toolCalls.push(own)
        sink.toolCall(own)
      },
    }
  }

  /**
   * Returns the payable usage. Null if the step failed before its first token. Without `trustsUsage`, tokens are
   * counted locally.
   */
  payable(hasFailed: boolean, trustsUsage: boolean): Promise<ModelUsage | null> {
    const isCutOff = this.result === undefined
    const reported = trustsUsage ? (this.result?.usage ?? null) : null
    return payableUsage(reported, this.written, this.request, hasFailed && isCutOff)
  }
}

/** Returns the line breaks that make an empty line after the last non-empty text. */
function partingFrom(texts: string[]): string {
  const last = texts.findLast((text) => text !== '')
  if (last === undefined || last.endsWith('\n\n')) return ''
  return last.endsWith('\n') ? '\n' : '\n\n'
}
