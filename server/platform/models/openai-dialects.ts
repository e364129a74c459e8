import { guessCapabilities } from './known-models.ts'
import type { Provider } from './types.ts'

/** Where the providers that speak this format differ from each other. */
export interface Dialect {
  /** The field that bounds a reply: OpenAI's reasoning models refuse `max_tokens`, other servers know no other. */
  maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** What asks for reasoning, or for none, where a model can be asked. */
  reasoning(model: string, isWanted: boolean): Record<string, unknown>
  /** Whether a call of a tool is refused in the next request unless the reasoning before it comes along. */
  wantsReasoningBack: boolean
  /** Whether tool_choice is heeded; where it is not, only tools that may be called are offered. */
  heedsToolChoice: boolean
  /** Whether a call can be demanded of a model that is thinking. */
  thinkerTakesDemands: boolean
  /** Whether `parallel_tool_calls` is known. What is not known is seen to when the calls are read. */
  knowsParallelCalls(model: string): boolean
  /** Whether a reply can be held to a schema. */
  takesSchemas: boolean
}

/** OpenAI's reasoning models: only they know reasoning_effort, and they take no temperature, top_p or stop. */
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
  // Thinks unless told not to. https://api-docs.deepseek.com/guides/thinking_mode
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
  // Models that can think do unless told not to; to ask one that cannot is an error.
  ollama: {
    maxTokensField: 'max_tokens',
    reasoning: (_model, isWanted) => (isWanted ? {} : { reasoning_effort: 'none' }),
    wantsReasoningBack: false,
    heedsToolChoice: false, // https://github.com/ollama/ollama/issues/17921
    thinkerTakesDemands: true,
    knowsParallelCalls: () => false,
    takesSchemas: true,
  },
  // Many servers refuse fields that their model does not know, so only a name that promises reasoning is asked.
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
