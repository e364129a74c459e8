import { takesClaudeSampling, takesClaudeThinking } from './claude-versions.ts'
import { isReasoningModel } from './openai-dialects.ts'
import type { Hints, ModelRequest, ModelTarget, Provider } from './types.ts'

/** Fields of a request that change the reply and that some models refuse. */
export const PARAMETERS = [
  'temperature',
  'topP',
  'topK',
  'minP',
  'seed',
  'frequencyPenalty',
  'presencePenalty',
  'logitBias',
  'stop',
  'effort',
  'verbosity',
  'logprobs',
] as const
export type Parameter = (typeof PARAMETERS)[number]

const SAMPLING = ['temperature', 'topP'] as const
const PENALTIES = ['frequencyPenalty', 'presencePenalty'] as const

/** The parameters that a provider's model accepts. */
const ACCEPTED: Record<Provider, (model: string) => readonly Parameter[]> = {
  // https://platform.openai.com/docs/guides/reasoning: reasoning models refuse sampling parameters.
  openai: (model) => [
    'seed',
    ...(isReasoningModel(model)
      ? (['effort'] as const)
      : ([...SAMPLING, ...PENALTIES, 'logitBias', 'stop', 'logprobs'] as const)),
    ...(/^gpt-([5-9]|\d\d)/.test(model) ? (['verbosity'] as const) : []),
  ],
  // https://platform.claude.com/docs/en/api/messages
  anthropic: (model) => [
    'stop',
    ...(takesClaudeSampling(model) ? ([...SAMPLING, 'topK'] as const) : []),
    ...(takesClaudeThinking(model) ? (['effort'] as const) : []),
  ],
  // https://ai.google.dev/api/generate-content#generationconfig
  google: (model) => [
    ...SAMPLING,
    ...PENALTIES,
    'topK',
    'seed',
    'stop',
    ...(takesGeminiThinking(model) ? (['effort'] as const) : []),
  ],
  // https://api-docs.deepseek.com/api/create-chat-completion
  deepseek: () => [...SAMPLING, ...PENALTIES, 'stop', 'effort', 'logprobs'],
  // https://docs.ollama.com/api/openai-compatibility
  ollama: () => [...SAMPLING, ...PENALTIES, 'seed', 'stop', 'effort'],
  // Servers differ, so each of them decides itself.
  'openai-compatible': () => PARAMETERS,
  // A stand-in whose replies are always the same.
  demo: () => PARAMETERS.filter((parameter) => parameter !== 'logprobs'),
}

/** Hints that a provider accepts. */
const ACCEPTED_HINTS: Partial<Record<Provider, readonly (keyof Hints)[]>> = {
  openai: ['user', 'safetyIdentifier', 'promptCacheKey', 'serviceTier'],
  anthropic: ['user', 'serviceTier', 'cacheTtl'],
  'openai-compatible': ['user'],
}

/** The service tiers of a provider. Other tiers are ignored. */
const SERVICE_TIERS: Partial<Record<Provider, readonly string[]>> = {
  openai: ['auto', 'default', 'flex', 'scale', 'priority'],
  anthropic: ['auto', 'standard_only'],
}

/**
 * Fields beyond OpenAI's own format that are sent as they are. They choose how a reply is sampled, formatted or reasoned.
 * A field that could choose another model, or that the provider bills apart, is not among them.
 */
const EXTRA_FIELDS: Partial<Record<Provider, readonly string[]>> = {
  openai: ['prompt_cache_retention'],
  'openai-compatible': [
    // vLLM and SGLang
    ...['repetition_penalty', 'length_penalty', 'min_tokens', 'stop_token_ids', 'ignore_eos'],
    ...['skip_special_tokens', 'spaces_between_special_tokens', 'include_stop_str_in_output', 'bad_words'],
    ...['chat_template_kwargs', 'add_generation_prompt', 'continue_final_message', 'truncate_prompt_tokens'],
    ...['guided_json', 'guided_regex', 'guided_choice', 'guided_grammar', 'structured_outputs'],
    ...['regex', 'ebnf', 'separate_reasoning', 'stream_reasoning', 'include_reasoning'],
    // llama.cpp and others that sample locally
    ...['top_a', 'tfs_z', 'typical_p', 'mirostat', 'mirostat_tau', 'mirostat_eta', 'repeat_penalty'],
    ...['repeat_last_n', 'dynatemp_range', 'dynatemp_exponent', 'xtc_probability', 'xtc_threshold'],
    ...['dry_multiplier', 'dry_base', 'dry_allowed_length', 'grammar', 'json_schema', 'cache_prompt'],
    // Hosted servers: DashScope, GLM, Kimi, Groq, OpenRouter, Mistral
    ...['enable_thinking', 'thinking_budget', 'thinking', 'reasoning', 'reasoning_format', 'do_sample'],
    ...['random_seed', 'safe_prompt', 'prompt_mode'],
  ],
}

/** Models of Google that cannot think. They refuse a thinkingConfig. */
const NEVER_THINKS = /^(gemini-(1|2\.0)|gemma-[123]|learnlm)/

/** Returns whether a Google model accepts a thinkingConfig. */
export const takesGeminiThinking = (model: string): boolean =>
  !NEVER_THINKS.test(model.replace(/^models\//, ''))

/** Values that every model has anyway. */
const NEUTRAL: Partial<Record<Parameter, unknown>> = {
  temperature: 1,
  topP: 1,
  frequencyPenalty: 0,
  presencePenalty: 0,
  effort: 'none',
}

/**
 * Returns the parameters of a request that its model would refuse. Callers refuse such a request, because the reply
 * would not be the one that was asked for.
 */
export function refusedParameters({ provider, model }: ModelTarget, request: ModelRequest): Parameter[] {
  const accepted = ACCEPTED[provider](model)
  const refused = PARAMETERS.filter(
    (name) => isSet(request[name]) && request[name] !== NEUTRAL[name] && !accepted.includes(name),
  )
  const both = isSet(request.temperature) && isSet(request.topP) && request.topP !== 1
  return provider === 'anthropic' && both && accepted.includes('topP') ? [...refused, 'topP'] : refused
}

const isSet = (value: unknown): boolean =>
  value !== undefined && !(Array.isArray(value) && value.length === 0)

/** Returns the hints of a request that its provider does not know, and that are therefore not sent. */
export const ignoredHints = ({ provider }: ModelTarget, { hints = {} }: ModelRequest): (keyof Hints)[] =>
  (Object.keys(hints) as (keyof Hints)[]).filter(
    (name) =>
      !ACCEPTED_HINTS[provider]?.includes(name) ||
      (name === 'serviceTier' && !SERVICE_TIERS[provider]?.includes(hints.serviceTier ?? '')),
  )

/** Returns the names of unknown fields that its provider does not receive. */
export const ignoredFields = ({ provider }: ModelTarget, { extra = {} }: ModelRequest): string[] =>
  Object.keys(extra).filter((name) => !EXTRA_FIELDS[provider]?.includes(name))

/** Returns a request without the parameters and hints that its model would refuse. */
export function withAccepted(target: ModelTarget, request: ModelRequest): ModelRequest {
  const { provider, model } = target
  const names = ACCEPTED[provider](model)
  const missing = PARAMETERS.filter((name) => request[name] !== undefined && !names.includes(name))
  const ignored = ignoredHints(target, request)
  const unknown = ignoredFields(target, request)
  if (missing.length === 0 && ignored.length === 0 && unknown.length === 0) return request
  const accepted = { ...request, hints: { ...request.hints }, extra: { ...request.extra } }
  for (const name of missing) delete accepted[name]
  for (const name of ignored) delete accepted.hints[name]
  for (const name of unknown) delete accepted.extra[name]
  return accepted
}
