import { expect, test } from 'vitest'
import type { RunnableTool } from '#platform/models/index.ts'
import type { ResolvedModel } from '../llm/index.ts'
import type { FailedInstance, Mcp, ReadyInstance } from '../mcp/index.ts'
import { prepareDirect } from './direct-mode.ts'

const model = { contextWindow: 10_000 } as ResolvedModel
const signal = new AbortController().signal
const instances = ['one', 'two'].map((id) => ({ id, serverName: id }) as ReadyInstance)

const failure = (instanceId: string, isTooSlow: boolean): FailedInstance => ({
  instanceId,
  serverName: instanceId,
  isTooSlow,
  error: 'a sentence',
})

const tool = (name: string, description: string): RunnableTool => ({
  definition: { name, description, parameters: { type: 'object' } },
  timeoutMs: 60_000,
  run: async () => ({ output: null, successful: true, error: null }),
})

/** Prepares a message with these answers of the servers. */
const prepare = (tools: RunnableTool[], failed: FailedInstance[]) => {
  const mcp: Pick<Mcp, 'openTools' | 'chooseTools'> = {
    openTools: async () => ({ tools, failed }),
    chooseTools: async (_question, all, limit) => all.slice(0, limit),
  }
  const asked = { question: 'What?', instances, remembered: Promise.resolve([]) }
  return prepareDirect(mcp, model, asked)(signal)
}

test('where no server answered in time the sentence says so', async () => {
  await expect(prepare([], [failure('one', true), failure('two', true)])).rejects.toMatchObject({
    code: 'mcp.timed_out',
    message: 'MCP server connection timed out. The server may be unavailable.',
  })
  await expect(prepare([], [failure('one', true), failure('two', false)])).rejects.toMatchObject({
    code: 'mcp.unreachable',
    message: 'Failed to connect to MCP server. Please check the URL and try again.',
  })
})

test('tools leave room for the conversation, and the model is told that there are more', async () => {
  const many = Array.from({ length: 100 }, (_, index) => tool(`tool_${index}`, 'x'.repeat(1_000)))
  const { request, tools = [] } = await prepare(many, [failure('two', true)])
  expect(tools.length).toBeGreaterThan(5)
  expect(tools.length).toBeLessThan(20)
  expect(request.system).toContain(`Of the 100 tools of these services you have those ${tools.length}`)
  expect(request.system).toContain('can not be reached now, so that you do not have their tools: two.')
})
