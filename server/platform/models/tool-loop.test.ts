import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  clock,
  done,
  NEVER_ABORTED,
  reasonOf,
  startConversations,
  weather,
} from '#tests/support/provider/converse.ts'
import { ModelHealth } from './health.ts'
import { countTokens, type Models, ToolLoop, type ToolSink } from './index.ts'
import { ModelError, type ModelRequest, type ModelTarget, type Provider } from './types.ts'

/** Tests the tool loop against an emulated provider, in the three formats. */

let talks: Awaited<ReturnType<typeof startConversations>>
beforeAll(async () => {
  talks = await startConversations()
})
afterAll(() => talks.close())

const FORMATS: Provider[] = ['openai-compatible', 'anthropic', 'google']

const STORY = [
  'say: Let me see. TOOL:weather={"city":"Oslo"} TOOL:clock={}',
  'say: And there? TOOL:weather={"city":"Rome"}',
  'say: It rains.',
].join(' THEN ')

describe.each(FORMATS)('%s', (provider) => {
  test('runs several steps with several calls, and all are charged', async () => {
    const { heard, outcomes, ended, loop, requests } = talks.converse(STORY, { provider, model: 'emu-r2' })
    expect(await ended).toBe('stop')
    expect(heard.text).toBe('Let me see.\n\nAnd there?\n\nIt rains.')
    expect(heard.reasoning).toBe('the quick\n\nthe quick\n\nthe quick')
    expect(heard.log.slice(0, 4)).toEqual(['call weather', 'call clock', 'start weather', 'start clock'])
    expect(heard.log.slice(-3)).toEqual(['call weather', 'start weather', 'end weather'])
    expect(outcomes.at(-1)).toEqual(done({ city: 'Rome', sky: 'rain' }))
    expect(talks.shown()).toEqual(['{"city":"Oslo","sky":"rain"}', 'nine', '{"city":"Rome","sky":"rain"}'])
    expect(new Set(heard.calls.map(({ id }) => id)).size).toBe(3)
    const last = JSON.stringify(requests().at(-1)?.body)
    for (const { id } of heard.calls) expect(last.split(`"${id}"`)).toHaveLength(3)
    // 12 tokens per call, 2 reasoning tokens per step, and 3 + 2 + 2 words.
    expect((await loop.payable(false))?.outputTokens).toBe(3 * 12 + 3 * 2 + 3 + 2 + 2)
    const inputTokens = requests().reduce(
      (sum, { body }) => sum + Math.ceil(JSON.stringify(body).length / 4),
      0,
    )
    expect((await loop.payable(false))?.inputTokens).toBe(inputTokens)
  })

  test('a model that keeps calling tools has to answer at the step limit', async () => {
    const { heard, ended, requests } = talks.converse('TOOL:clock={}', { provider, model: 'emu-n2-again' })
    expect(await ended).toBe('stop')
    expect(heard.text).toBe('the quick')
    expect(heard.calls).toHaveLength(15)
    expect(requests()).toHaveLength(16)
  })

  test('usage before a failed step is charged', async () => {
    const { heard, ended, loop } = talks.converse(STORY, { provider, model: 'emu-step3-err500' })
    const reason = await reasonOf(ended)
    expect(reason).toBeInstanceOf(ModelError)
    expect(heard.text).toBe('Let me see.\n\nAnd there?')
    expect((await loop.payable(true))?.outputTokens).toBe(3 * 12 + 3 + 2)
  })

  test('a step that breaks off is charged for what it sent', async () => {
    const { ended, loop, requests } = talks.converse('TOOL:clock={}', {
      provider,
      model: 'emu-n6-step2-errmid',
    })
    expect(await reasonOf(ended)).toBeInstanceOf(ModelError)
    const [first] = requests()
    const usage = await loop.payable(true)
    expect(usage?.outputTokens).toBe(12 + 3)
    expect(usage?.inputTokens).toBeGreaterThan(Math.ceil(JSON.stringify(first?.body).length / 4))
  })
})

test('a reply without tools is a single stream', async () => {
  const { heard, ended, requests, loop } = talks.converse('TOOL:clock={}', {
    tools: [],
    request: { tools: [clock.definition] },
  })
  expect(await ended).toBe('tool_calls')
  expect(heard.log).toEqual(['call clock'])
  expect(requests()).toHaveLength(1)
  expect((await loop.payable(false))?.outputTokens).toBe(12)
})

test('steps without reported usage are each counted with their own messages', async () => {
  const story = 'TOOL:clock={} THEN say: Nine.'
  const { ended, loop } = talks.converse(story, { model: 'emu-nousage', tools: [clock] })
  await ended
  const definition = JSON.stringify(clock.definition)
  const prompts = [
    `\n${definition}\n${story}`,
    `\n${definition}\n${story}\nclock {}\n<tool_output>\nnine\n</tool_output>`,
  ]
  const [first = 0, second = 0, call, said] = await Promise.all(
    [...prompts, 'clock {}', 'Nine.'].map(countTokens),
  )
  expect(await loop.payable(false)).toEqual({
    inputTokens: first + second,
    outputTokens: (call ?? 0) + (said ?? 0),
  })
})

test('a failure before the first token is not charged', async () => {
  const failing = talks.converse('TOOL:clock={}', { model: 'emu-err500' })
  expect(await reasonOf(failing.ended)).toBeInstanceOf(ModelError)
  expect(await failing.loop.payable(true)).toBeNull()
  const never = talks.converse('TOOL:clock={}', { signal: AbortSignal.abort('no') })
  expect(await reasonOf(never.ended)).toBe('no')
  expect([await never.loop.payable(false), never.requests().length]).toEqual([null, 0])
})

test('a required call is required only once', async () => {
  const choices = async (toolChoice: ModelRequest['toolChoice']) => {
    const { ended, requests } = talks.converse('TOOL:clock={}', {
      request: { ...(toolChoice && { toolChoice }) },
    })
    await ended
    return requests().map(({ body }) => (body as { tool_choice?: unknown }).tool_choice)
  }
  expect(await choices('required')).toEqual(['required', undefined])
  expect(await choices({ name: 'clock' })).toEqual([
    { type: 'function', function: { name: 'clock' } },
    undefined,
  ])
  expect(await choices(undefined)).toEqual([undefined, undefined])
  expect(await choices('none')).toEqual(['none'])
})

describe('a server that ignores limits', () => {
  /**
   * Emulates a server that calls the tool in the first `times` responses, even if the request doesn't offer the tool.
   */
  async function callAnyway(name: string, times: number, request: Partial<ModelRequest> = {}) {
    const requests: ModelRequest[] = []
    const deaf: Pick<Models, 'stream' | 'health'> = {
      health: new ModelHealth(),
      async stream(_target, asked, sink) {
        if (requests.push(asked) <= times) sink.toolCall({ id: 'a', name, input: {} })
        return { finishReason: requests.length <= times ? 'tool_calls' : 'stop', usage: null }
      },
    }
    const target: ModelTarget = { provider: 'demo', model: 'm', baseUrl: '', apiKey: null, guarded: false }
    const heard: string[] = []
    const sink: ToolSink = {
      text() {},
      reasoning() {},
      toolCall: (call) => void heard.push(`call ${call.name}`),
      toolStarted() {},
      toolEnded: (_call, { error }) => void heard.push(error ?? 'done'),
    }
    const model = { members: [{ target, trustsUsage: true }], contextWindow: 200_000 } as const
    const loop = new ToolLoop(deaf, model, { messages: [], ...request }, [clock, weather])
    return { finishReason: await loop.run(sink, NEVER_ABORTED), heard, requests }
  }

  test('cannot call a forbidden tool', async () => {
    const { finishReason, heard } = await callAnyway('clock', 1, { toolChoice: 'none' })
    expect([finishReason, heard]).toEqual(['other', []])
    const endless = await callAnyway('clock', 99)
    expect(endless.finishReason).toBe('other')
    expect([endless.requests.length, endless.heard.length]).toEqual([16, 30])
  })

  test('learns which tools exist', async () => {
    const { finishReason, heard, requests } = await callAnyway('nowhere', 1)
    const error = 'There is no tool named "nowhere". The tools are: clock, weather'
    expect([finishReason, heard]).toEqual(['stop', ['call nowhere', error]])
    expect(requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      output: `<tool_output>\nerror: ${error}\n</tool_output>`,
    })
  })
})
