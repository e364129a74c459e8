import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CallSink, ModelFinder, PaidCalls } from '#parts/llm/index.ts'
import type { RunnableTool, ToolOutcome } from '#platform/models/index.ts'
import { balanceOf, kindsOf, ledgerOf } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { clock, done, tool } from '#tests/support/provider/converse.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** A model call that uses tools is one ledger entry, regardless of its outcome (docs/billing.md). */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let calls: PaidCalls

beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  calls = new PaidCalls(server.server.services)
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

/** Creates a person whose model follows the script in `content` (tests/support/provider/behaviour.ts). */
async function begin(
  version: string,
  content: string,
  {
    tools = [clock],
    signal,
    by = calls,
  }: { tools?: RunnableTool[]; signal?: AbortSignal; by?: PaidCalls } = {},
) {
  const person = await server.signUp()
  const modelId = await server.addModel(person, {
    name: version,
    provider: 'openai-compatible',
    version,
    config: { base_url: `${provider.url}/v1`, api_key: 'k', input_ratio: 0, output_ratio: 5 },
  })
  const model = await new ModelFinder(server.server.services).find(person.organizationId, modelId)
  const heard: (string | ToolOutcome)[] = []
  const sink: CallSink = {
    text: (text) => void heard.push(text),
    toolEnded: (_call, outcome) => void heard.push(outcome),
  }
  const request = { messages: [{ role: 'user' as const, content }] }
  const payer = { ...person, apiKeyId: null }
  const { ended } = await by.begin(
    payer,
    model,
    { known: request, prepare: async () => ({ request, tools }) },
    sink,
    signal,
  )
  return { person, heard, ended }
}

/** Returns the single entry that closes the call, after checking that no hold is left. */
async function closingOf(person: Person) {
  const entries = await ledgerOf(server, person)
  expect(entries).toHaveLength(2)
  expect(kindsOf(entries)[0]).toBe('HOLD')
  expect(await balanceOf(server, person)).toMatchObject({ held: 0 })
  return entries[1]
}

const STORY = 'say: Wait. TOOL:clock={} TOOL:clock={} THEN TOOL:clock={} THEN say: Nine.'

test('all steps are charged together', async () => {
  const { person, heard, ended } = await begin('emu', STORY)
  const { usage, ...rest } = await ended
  expect(rest).toMatchObject({ failure: null, content: 'Wait.\n\nNine.', finishReason: 'stop' })
  expect(heard).toEqual(['Wait.', done('nine'), done('nine'), done('nine'), '\n\n', 'Nine.'])
  expect(usage?.outputTokens).toBe(1 + 3 * 12 + 1)
  expect(await closingOf(person)).toMatchObject({
    kind: 'DEBIT',
    amount: -5 * 38,
    usage: { output_tokens: 38 },
  })
})

test('without tools it has one step, and reports its finish reason', async () => {
  const { person, ended } = await begin('emu-n3', 'Hello', { tools: [] })
  expect(await ended).toMatchObject({ content: 'the quick brown', finishReason: 'stop' })
  expect(await closingOf(person)).toMatchObject({ kind: 'DEBIT', amount: -15 })
})

test('the usage before a failed step is charged', async () => {
  const { person, ended } = await begin('emu-step3-err500', STORY)
  expect(await ended).toMatchObject({
    failure: { message: expect.stringContaining('had an internal error') },
    content: 'Wait.',
    finishReason: null,
  })
  expect(await closingOf(person)).toMatchObject({ kind: 'DEBIT', amount: -5 * 37 })
})

test('nothing is charged if the first step failed', async () => {
  const { person, ended } = await begin('emu-err500', STORY)
  expect(await ended).toMatchObject({ usage: null, finishReason: null })
  expect(await closingOf(person)).toMatchObject({ kind: 'RELEASE', amount: 0 })
})

test('a tool failure is reported to the model, and the call continues', async () => {
  const broken = tool('clock', () => Promise.reject(new Error('bug')))
  const { ended, heard } = await begin('emu', 'TOOL:clock={} THEN say: Well.', { tools: [broken] })
  expect(await ended).toMatchObject({ failure: null, content: 'Well.' })
  expect(heard[0]).toMatchObject({
    successful: false,
    error: 'Something went wrong in this tool. Try again.',
  })
})

test.each(['the caller', 'the shutdown of the server'])('a hanging tool is aborted by %s', async (who) => {
  const abort = new AbortController()
  const stopping = new PaidCalls(server.server.services)
  const given: AbortSignal[] = []
  const hanging = tool('clock', (_input, signal) => {
    given.push(signal)
    return new Promise(() => {})
  })
  const { person, ended } = await begin('emu', STORY, {
    tools: [hanging],
    signal: abort.signal,
    by: stopping,
  })
  await expect.poll(() => given.length).toBe(2)
  expect(await balanceOf(server, person)).toMatchObject({ held: 1 })
  if (who === 'the caller') abort.abort()
  else await stopping.close(10, Promise.resolve())
  expect(await ended).toMatchObject({
    failure: { message: expect.any(String) },
    content: 'Wait.',
    finishReason: null,
  })
  expect(given.every(({ aborted }) => aborted)).toBe(true)
  expect(await closingOf(person)).toMatchObject({ kind: 'DEBIT', amount: -5 * (1 + 2 * 12) })
  expect(stopping.holdIds()).toEqual([])
})
