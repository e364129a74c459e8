import { fail, sentence } from '#errors'
import { modelFailure, targetOf } from '#parts/llm/index.ts'
import type { Scope } from '#platform/access/scope.ts'
import { defaultContextWindow } from '#platform/models/index.ts'
import { ToolLoop, type ToolSink } from '#platform/models/tool-loop.ts'
import { ModelError } from '#platform/models/types.ts'
import { NetError } from '#platform/net/index.ts'
import type { Services } from '#platform/services.ts'
import { findTool } from './read-tools-system.ts'
import { runnableTools } from './run-tool.ts'
import type { ToolTest, ToolTestResult } from './schemas.ts'
import { configNow, NO_CONFIG, readConfig } from './tool-config.ts'

type Dependencies = Pick<Services, 'database' | 'log' | 'models' | 'net' | 'sandbox'>

/** Time limit of a test, including all calls of the model and the tool. */
const TEST_TIMEOUT_MS = 60_000

/**
 * Has a model call a tool, using an API key that is never stored. A failing tool is no error: the model gets the
 * failure, and `tool_calls` lists it. Throws tool.not_found, tool.config_invalid, llm.base_url_needed, and the errors of
 * modelFailure.
 */
export async function testTool(
  deps: Dependencies,
  scope: Scope<'tool:execute'>,
  toolId: string,
  test: ToolTest,
): Promise<ToolTestResult> {
  const row = await findTool(deps, scope.organizationId, toolId)
  const config = readConfig(row.configuration, test.config_items, NO_CONFIG)
  if ('error' in config)
    throw fail('tool.config_invalid', { reason: sentence('tool.config_items', { reason: config.error }) })
  const { provider, model_name: name, api_key: apiKey, base_url: baseUrl } = test
  if (baseUrl !== undefined) checkAddress(deps, baseUrl)
  const target = targetOf({ provider, model: name, apiKey, baseUrl })
  const model = {
    members: [{ target, trustsUsage: true }],
    contextWindow: defaultContextWindow(target.provider, target.model),
  } as const
  const loop = new ToolLoop(
    deps.models,
    model,
    {
      messages: [{ role: 'user', content: test.input_prompt }],
      ...(test.instructions !== undefined && { system: test.instructions }),
    },
    runnableTools(deps.sandbox, row, configNow(row.configuration, config), scope.organizationId),
  )
  const recorder = new ToolRecorder(deps.log)
  const began = performance.now()
  await loop.run(recorder, AbortSignal.timeout(TEST_TIMEOUT_MS)).catch(explain)
  const usage = await loop.payable(false)
  return {
    result: recorder.answer.trim(),
    execution_time: secondsSince(began),
    token_usage: { input_tokens: usage?.inputTokens ?? 0, output_tokens: usage?.outputTokens ?? 0 },
    tool_calls: recorder.calls,
  }
}

function checkAddress({ net }: Dependencies, baseUrl: string): void {
  try {
    net.checkUrl(baseUrl)
  } catch (error) {
    if (error instanceof NetError)
      throw fail('request.invalid', { reason: sentence('tool.base_url', { reason: error.message }) })
    throw error
  }
}

function explain(error: unknown): never {
  if (error instanceof ModelError) throw modelFailure(error)
  if ((error as Error).name === 'TimeoutError')
    throw fail('llm.failed', { reason: sentence('tool.test_timeout', { seconds: TEST_TIMEOUT_MS / 1000 }) })
  throw error
}

/** Records the model's tool calls, and the text that follows the last one. */
class ToolRecorder implements ToolSink {
  readonly #log: Services['log']
  readonly #began = new Map<string, number>()
  answer = ''
  readonly calls: ToolTestResult['tool_calls'] = []

  constructor(log: Services['log']) {
    this.#log = log
  }

  readonly text: ToolSink['text'] = (text) => {
    this.answer += text
  }
  readonly reasoning: ToolSink['reasoning'] = () => {}
  readonly toolCall: ToolSink['toolCall'] = () => {
    this.answer = ''
  }
  readonly toolStarted: ToolSink['toolStarted'] = ({ id }) => {
    this.#began.set(id, performance.now())
  }
  readonly toolEnded: ToolSink['toolEnded'] = ({ id, name, input }, { output, successful, error }) => {
    const began = this.#began.get(id) ?? performance.now()
    this.calls.push({ name, input, output, successful, error, execution_time: secondsSince(began) })
  }
  readonly toolBroke: NonNullable<ToolSink['toolBroke']> = ({ name }, error) => {
    this.#log.error({ err: error, function: name }, 'a tool broke')
  }
}

const secondsSince = (began: number): number => Math.round(performance.now() - began) / 1000
