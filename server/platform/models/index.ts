import type { Net } from '../net/index.ts'
import { streamAnthropic } from './anthropic.ts'
import { streamDemo } from './demo.ts'
import { streamGoogle } from './google.ts'
import { type FoundModel, listModels } from './list-models.ts'
import { streamOpenAi } from './openai.ts'
import { ReplyText } from './reply-text.ts'
import type { Transport } from './transport.ts'
import type { ModelRequest, ModelResult, ModelSink, ModelTarget, ModelTimeouts } from './types.ts'

export { countTokens } from './count-tokens.ts'
export { DEFAULT_BASE_URLS, defaultContextWindow, guessCapabilities } from './known-models.ts'
export { payableUsage } from './payable-usage.ts'

const TIMEOUTS: ModelTimeouts = { connectMs: 10_000, firstTokenMs: 120_000, betweenTokensMs: 60_000 }

export interface Models {
  /**
   * Has a model write a reply into the sink. Resolves at the provider's own end marker; rejects with a ModelError
   * whose sentence is for the user, or with the signal's reason when it was aborted.
   */
  stream(
    target: ModelTarget,
    request: ModelRequest,
    sink: ModelSink,
    signal: AbortSignal,
  ): Promise<ModelResult>
  /** The models that a provider offers. Throws a ModelError. */
  listModels(target: ModelTarget): Promise<FoundModel[]>
}

export function createModels({ net, timeouts = TIMEOUTS }: { net: Net; timeouts?: ModelTimeouts }): Models {
  const transport: Transport = { net, timeouts }
  return {
    async stream(target, request, sink, signal) {
      const reply = new ReplyText(sink)
      const result = await write(transport, target, request, reply, signal)
      reply.end()
      return result
    },
    listModels: (target) => listModels(transport, target),
  }
}

function write(
  transport: Transport,
  target: ModelTarget,
  request: ModelRequest,
  reply: ReplyText,
  signal: AbortSignal,
): Promise<ModelResult> {
  switch (target.provider) {
    case 'anthropic':
      return streamAnthropic(transport, target, request, reply, signal)
    case 'google':
      return streamGoogle(transport, target, request, reply, signal)
    case 'demo':
      return streamDemo(request, reply, signal)
    default:
      return streamOpenAi(transport, target, request, reply, signal)
  }
}
