import { payableUsage } from './payable-usage.ts'
import type { ModelRequest, ModelResult, ModelSink, ModelUsage, ToolCall } from './types.ts'

/** What a step has written. */
interface StepOutput {
  content: string
  reasoning: string
  toolCalls: ToolCall[]
}

/** One time that a model is asked: what is asked, what it has written so far, and what that costs. */
export class LoopStep {
  readonly request: ModelRequest
  readonly written: StepOutput = { content: '', reasoning: '', toolCalls: [] }
  result: ModelResult | undefined

  constructor(request: ModelRequest) {
    this.request = request
  }

  /**
   * Takes what the model writes and passes it on, parted by an empty line from what earlier steps have written.
   * `withOwnId` gives a call an id that no other has.
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
        // Some servers do not heed that no tool may be called.
        if (request.toolChoice === 'none') return
        const own = withOwnId(call)
        written.toolCalls.push(own)
        sink.toolCall(own)
      },
    }
  }

  /** Null is nothing: a step that failed before its first token. Without `trustsUsage` the tokens are counted here. */
  payable(hasFailed: boolean, trustsUsage: boolean): Promise<ModelUsage | null> {
    const isCutOff = this.result === undefined
    const reported = trustsUsage ? (this.result?.usage ?? null) : null
    return payableUsage(reported, this.written, this.request, hasFailed && isCutOff)
  }
}

/** What is missing behind the last of some texts to make an empty line. */
function partingFrom(texts: string[]): string {
  const last = texts.findLast((text) => text !== '')
  if (last === undefined || last.endsWith('\n\n')) return ''
  return last.endsWith('\n') ? '\n' : '\n\n'
}
