import { guessCapabilities } from './known-models.ts'
import type { Provider } from './types.ts'

/** The differences between providers that implement the OpenAI format. */
export interface Dialect {
  /**
   * The field that limits a reply. OpenAI's reasoning models reject `max_tokens`; other servers know only
   * `max_tokens`.
   */
  maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** Returns the fields that turn reasoning on or off, where the model supports them. */
  reasoning(model: string, isWanted: boolean): Record<string, unknown>
  /** Whether the next request must repeat the reasoning that preceded a tool call. */
  wantsReasoningBack: boolean
  /** Whether tool_choice is honored. If not, only callable tools are offered. */
  heedsToolChoice: boolean
  /** Whether a tool call can be forced while the model is thinking. */
  thinkerTakesDemands: boolean
  /** Whether `parallel_tool_calls` is supported. If not, the limit is applied when the calls are read. */
  knowsParallelCalls(model: string): boolean
  /** Whether JSON schemas are supported as the response format. */
  takesSchemas: boolean
}

/** OpenAI's reasoning models. Only they accept reasoning_effort; they reject temperature, top_p and stop. */
export const OPENAI_REASONING_MODEL = /^(o\d|gpt-([5-9]|\d\d)(?!-chat))/

export const DIALECTS: Partial<Record<Provider, Dialect>> = {
  openai: {
    maxTokensField: 'max_completion_tokens',
    reasoning: (model, isWanted) =>
      isWanted && OPENAI_REASONING_MODEL.test(model) ? { reasoning_effort: 'medium' } : {},
    wantsReasoningBack: false,
    heedsToolChoice: true,
    thinkerTakesDemands: true,
    knowsParallelCalls: (model) => !/^o\d/.test(model),
    takesSchemas: true,
  },
  // Thinks unless disabled. https://api-docs.deepseek.com/guides/thinking_mode
  deepseek: {
    maxTokensField: 'max_tokens',
    reasoning: (model, isWanted) => ({
      thinking: { type: isWanted || model.includes('reasoner') ? 'enabled' : 'disabled' },
    }),
    wantsReasoningBack: true,
    heedsToolChoice: true,
    thinkerTakesDemands: false, // https://github.com/deepseek-ai/DeepSeek-V3/issues/1376
    knowsParallelCalls: () => false,
    takesSchemas: false, // https://api-docs.deepseek.com/guides/json_mode
  },
  // Models that can think do so unless disabled. Requesting thinking from other models is an error.
  ollama: {
    maxTokensField: 'max_tokens',
    reasoning: (_model, isWanted) => (isWanted ? {} : { reasoning_effort: 'none' }),
    wantsReasoningBack: false,
    heedsToolChoice: false, // https://github.com/ollama/ollama/issues/17921
    thinkerTakesDemands: true,
    knowsParallelCalls: () => false,
    takesSchemas: true,
  },
  // Many servers reject fields that their model doesn't know, so only models with a known reasoning name get the
  // field.
  'openai-compatible': {
    maxTokensField: 'max_tokens',
    reasoning: (model, isWanted) =>
      isWanted && guessCapabilities('openai-compatible', model).includes('reasoning')
        ? { reasoning_effort: 'medium' }
        : {},
    wantsReasoningBack: false,
    heedsToolChoice: true,
    thinkerTakesDemands: true,
    knowsParallelCalls: () => true,
    takesSchemas: true,
  },
}
