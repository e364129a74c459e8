import { guessCapabilities } from './known-models.ts'
import type { Effort, ModelTarget, Provider } from './types.ts'

/** The differences between providers that implement the OpenAI format. */
export interface Dialect {
  /**
   * Request field that limits the reply's tokens. OpenAI's reasoning models reject `max_tokens`; other servers
   * support only `max_tokens`.
   */
  maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** Returns the request fields that turn reasoning on or off, if the model supports such fields. */
  reasoning(model: string, isWanted: boolean, effort: Effort | undefined): Record<string, unknown>
  /** True if the next request must repeat the reasoning that preceded a tool call. */
  needsReasoningBack: boolean
  /** True if the server honors tool_choice. Otherwise, requests contain only the tools that may be called. */
  supportsToolChoice: boolean
  /** True if a request can force a tool call while the model is thinking. */
  canForceToolWhileThinking: boolean
  /** True if the model supports `parallel_tool_calls`. Otherwise, extra calls are dropped from the reply. */
  supportsParallelCalls(model: string): boolean
  /** True if the server supports JSON schemas as the response format. */
  supportsSchemas: boolean
  /** True if a server may leave the model's thoughts in the text, in `<think>` tags. */
  mayMixThoughts: boolean
}

/** OpenAI's reasoning models. Only these models accept reasoning_effort. They reject temperature, top_p and stop. */
const OPENAI_REASONING_MODEL = /^(o\d|gpt-([5-9]|\d\d)(?!-chat))/

export const isReasoningModel = (model: string): boolean => OPENAI_REASONING_MODEL.test(model)

export const DIALECTS: Partial<Record<Provider, Dialect>> = {
  openai: {
    maxTokensField: 'max_completion_tokens',
    reasoning: (model, isWanted, effort) =>
      isReasoningModel(model) && (isWanted || effort) ? { reasoning_effort: effort ?? 'medium' } : {},
    needsReasoningBack: false,
    supportsToolChoice: true,
    canForceToolWhileThinking: true,
    supportsParallelCalls: (model) => !/^o\d/.test(model),
    supportsSchemas: true,
    mayMixThoughts: false,
  },
  // DeepSeek's models think unless thinking is disabled. https://api-docs.deepseek.com/guides/thinking_mode
  deepseek: {
    maxTokensField: 'max_tokens',
    reasoning: (model, isWanted) => ({
      thinking: { type: isWanted || model.includes('reasoner') ? 'enabled' : 'disabled' },
    }),
    needsReasoningBack: true,
    supportsToolChoice: true,
    canForceToolWhileThinking: false, // https://github.com/deepseek-ai/DeepSeek-V3/issues/1376
    supportsParallelCalls: () => false,
    supportsSchemas: false, // https://api-docs.deepseek.com/guides/json_mode
    mayMixThoughts: true,
  },
  // Models that can think do so unless thinking is disabled. Other models reject a request for thinking, so none is
  // sent.
  ollama: {
    maxTokensField: 'max_tokens',
    reasoning: (_model, isWanted, effort) =>
      isWanted ? (effort ? { reasoning_effort: effort } : {}) : { reasoning_effort: 'none' },
    needsReasoningBack: false,
    supportsToolChoice: false, // https://github.com/ollama/ollama/issues/17921
    canForceToolWhileThinking: true,
    supportsParallelCalls: () => false,
    supportsSchemas: true,
    mayMixThoughts: true,
  },
  // Many servers reject fields that their model doesn't support. The reasoning field is therefore sent only if the
  // model's name suggests a reasoning model.
  'openai-compatible': {
    maxTokensField: 'max_tokens',
    reasoning(model, isWanted, effort) {
      if (effort) return { reasoning_effort: effort }
      const canReason = isWanted && guessCapabilities('openai-compatible', model).includes('reasoning')
      return canReason ? { reasoning_effort: 'medium' } : {}
    },
    needsReasoningBack: false,
    supportsToolChoice: true,
    canForceToolWhileThinking: true,
    supportsParallelCalls: () => true,
    supportsSchemas: true,
    mayMixThoughts: true,
  },
}

/** Returns whether a provider's requests are in OpenAI's format. */
export const speaksOpenAi = (provider: string): boolean => Object.hasOwn(DIALECTS, provider)

export const mayMixThoughts = ({ provider }: ModelTarget): boolean =>
  DIALECTS[provider]?.mayMixThoughts ?? false
