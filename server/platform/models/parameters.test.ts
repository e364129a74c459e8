import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collectReply } from '#tests/support/provider/collect-reply.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { createNet } from '../net/index.ts'
import { createModels } from './index.ts'
import { ignoredHints, PARAMETERS, type Parameter, refusedParameters } from './parameters.ts'
import type { ModelRequest, ModelTarget, Provider } from './types.ts'

/** Tests which parameters each provider's models receive, and which are refused. */

const net = createNet({ allowPrivateNetwork: true })
const models = createModels({ net })
let emulated: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  emulated = await startProvider()
})
afterAll(async () => {
  await Promise.all([net.close(), emulated.close()])
})

const VALUES: Partial<ModelRequest> = {
  temperature: 0.5,
  topP: 0.9,
  topK: 40,
  minP: 0.05,
  seed: 7,
  frequencyPenalty: 0.25,
  presencePenalty: 0.75,
  logitBias: { 17: -100 },
  stop: ['END'],
  effort: 'low',
  verbosity: 'low',
  logprobs: 13,
}

const targetOf = (provider: Provider, model: string): ModelTarget => ({
  provider,
  model,
  baseUrl: `${emulated.url}/v1`,
  apiKey: 'k',
  guarded: false,
})
const requestOf = (fields: Partial<ModelRequest>): ModelRequest => ({
  messages: [{ role: 'user', content: 'Hello' }],
  ...fields,
})

async function sent(target: ModelTarget, fields: Partial<ModelRequest>): Promise<string> {
  await collectReply(models, target, requestOf(fields))
  return JSON.stringify(emulated.requests.at(-1)?.body)
}

/** The parameters that a model accepts, and what a request with each of them contains. */
const ACCEPTED: [Provider, string, Partial<Record<Parameter, string>>][] = [
  [
    'openai',
    'gpt-4o-emu',
    {
      temperature: '"temperature":0.5',
      topP: '"top_p":0.9',
      seed: '"seed":7',
      frequencyPenalty: '"frequency_penalty":0.25',
      presencePenalty: '"presence_penalty":0.75',
      logitBias: '"logit_bias":{"17":-100}',
      stop: '"stop":["END"]',
      logprobs: '"logprobs":true,"top_logprobs":13',
    },
  ],
  [
    'openai',
    'gpt-5-emu',
    { seed: '"seed":7', effort: '"reasoning_effort":"low"', verbosity: '"verbosity":"low"' },
  ],
  [
    'anthropic',
    'claude-opus-4-5',
    {
      temperature: '"temperature":0.5',
      topP: '"top_p":0.9',
      topK: '"top_k":40',
      stop: '"stop_sequences":["END"]',
      effort: '"budget_tokens":2048',
    },
  ],
  [
    'anthropic',
    'claude-opus-4-8',
    { stop: '"stop_sequences":["END"]', effort: '"output_config":{"effort":"low"}' },
  ],
  [
    'google',
    'gemini-3-flash',
    {
      temperature: '"temperature":0.5',
      topP: '"topP":0.9',
      topK: '"topK":40',
      seed: '"seed":7',
      frequencyPenalty: '"frequencyPenalty":0.25',
      presencePenalty: '"presencePenalty":0.75',
      stop: '"stopSequences":["END"]',
      effort: '"thinkingLevel":"low"',
    },
  ],
  [
    'openai-compatible',
    'emu',
    {
      temperature: '"temperature":0.5',
      topP: '"top_p":0.9',
      topK: '"top_k":40',
      minP: '"min_p":0.05',
      seed: '"seed":7',
      frequencyPenalty: '"frequency_penalty":0.25',
      presencePenalty: '"presence_penalty":0.75',
      logitBias: '"logit_bias":{"17":-100}',
      stop: '"stop":["END"]',
      effort: '"reasoning_effort":"low"',
      verbosity: '"verbosity":"low"',
      logprobs: '"logprobs":true,"top_logprobs":13',
    },
  ],
]

describe.each(ACCEPTED)('%s %s', (provider, model, accepted) => {
  test.each(PARAMETERS)('%s is sent, or refused', async (name) => {
    const target = targetOf(provider, model)
    const fields: Partial<ModelRequest> = { [name]: VALUES[name] }
    if (name === 'effort') fields.thinking = true
    const isAccepted = name in accepted
    expect(refusedParameters(target, requestOf(fields))).toEqual(isAccepted ? [] : [name])
    const body = await sent(target, fields)
    if (isAccepted) expect(body).toContain(accepted[name])
    else expect(body).not.toContain(JSON.stringify(VALUES[name]))
  })
})

test('values that every model has anyway are accepted by all', () => {
  const neutral = {
    temperature: 1,
    topP: 1,
    frequencyPenalty: 0,
    presencePenalty: 0,
    effort: 'none',
  } as const
  for (const [provider, model] of ACCEPTED)
    expect(refusedParameters(targetOf(provider, model), requestOf(neutral))).toEqual([])
})

test('Claude accepts either temperature or top_p', () => {
  const target = targetOf('anthropic', 'claude-opus-4-5')
  expect(refusedParameters(target, requestOf({ temperature: 0.5, topP: 0.9 }))).toEqual(['topP'])
})

test('hints are sent to providers that know them, and listed otherwise', async () => {
  const hints = { user: 'u-1', serviceTier: 'flex', metadata: { team: 'a' } }
  const openAi = targetOf('openai', 'gpt-4o-emu')
  expect(ignoredHints(openAi, requestOf({ hints }))).toEqual(['metadata'])
  expect(await sent(openAi, { hints })).toMatch(/"user":"u-1".*"service_tier":"flex"/)
  const claude = targetOf('anthropic', 'claude-opus-4-5')
  expect(ignoredHints(claude, requestOf({ hints }))).toEqual(['serviceTier', 'metadata'])
  expect(await sent(claude, { hints })).toContain('"metadata":{"user_id":"u-1"}')
})
