import { expect, test } from 'vitest'
import type { RunnableTool } from '#platform/models/index.ts'
import type { ResolvedModel } from '../llm/index.ts'
import type { FailedInstance, LeftOutTool, Mcp, ReadyInstance } from '../mcp/index.ts'
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

/** Prepares a message. The MCP servers return `tools`, and the connections in `failed` fail. */
const prepare = (tools: RunnableTool[], failed: FailedInstance[], leftOut: LeftOutTool[] = []) => {
  const mcp: Pick<Mcp, 'openTools' | 'chooseTools'> = {
    openTools: async () => ({ tools, failed, leftOut }),
    chooseTools: async (_question, all, limit) => all.slice(0, limit),
  }
  const asked = { question: 'What?', instances, remembered: Promise.resolve([]) }
  return prepareDirect(mcp, model, asked)(signal)
}

test('the error is a timeout only if every server timed out', async () => {
  await expect(prepare([], [failure('one', true), failure('two', true)])).rejects.toMatchObject({
    code: 'mcp.timed_out',
    message: 'MCP server connection timed out. The server may be unavailable.',
  })
  await expect(prepare([], [failure('one', true), failure('two', false)])).rejects.toMatchObject({
    code: 'mcp.unreachable',
    message: 'Failed to connect to MCP server. Please check the URL and try again.',
  })
})

test('tools leave room for the conversation, and the prompt names the number of omitted tools', async () => {
  const many = Array.from({ length: 100 }, (_, index) => tool(`tool_${index}`, 'x'.repeat(1_000)))
  const { request, tools = [] } = await prepare(many, [failure('two', true)])
  expect(tools.length).toBeGreaterThan(5)
  expect(tools.length).toBeLessThan(20)
  expect(request.system).toContain(
    `You have the ${tools.length} tools that match the question best, of 100 tools`,
  )
  expect(request.system).toContain('cannot be reached now, so their tools are missing: two.')
})

test('the prompt names the tools that models cannot be offered', async () => {
  const { request } = await prepare(
    [tool('find', 'Finds')],
    [],
    [{ name: 'odd', serverName: 'one', reason: 'Its input is odd.' }],
  )
  expect(request.system).toContain('odd (one): Its input is odd.')
})
