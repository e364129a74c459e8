import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { ToolLoop, type ToolSink } from '#platform/models/tool-loop.ts'
import { ModelError } from '#platform/models/types.ts'
import type { Services } from '#platform/services.ts'
import { type ModelFinder, resolve } from './find-model.ts'

const TEST_TIMEOUT_MS = 30_000
const ANSWER_CHARACTERS_MAX = 200

/**
 * Sends a short prompt to a model to check its address, key and name. If the model fails, returns the failure instead
 * of throwing. Throws llm.not_found, llm.not_configured, llm.no_member.
 */
export async function testModel(
  services: Services,
  finder: ModelFinder,
  scope: Scope<'organization:write'>,
  modelId: string,
): Promise<{ successful: boolean; message: string; latency_ms: number }> {
  const row = await finder.read(scope.organizationId, modelId)
  if (row.organizationId === null) throw fail('llm.not_found', { value: modelId })
  const model = resolve(services, row, scope.organizationId)
  const began = performance.now()
  let answer = ''
  const sink: ToolSink = {
    text: (text) => {
      answer += text
    },
    reasoning: () => {},
    toolCall: () => {},
    toolStarted: () => {},
    toolEnded: () => {},
  }
  const request = {
    messages: [{ role: 'user' as const, content: 'Answer with one word: ready' }],
    maxTokens: 64,
  }
  try {
    const loop = new ToolLoop(services.models, model, request, [])
    await loop.run(sink, AbortSignal.timeout(TEST_TIMEOUT_MS))
    return result(true, answer.slice(0, ANSWER_CHARACTERS_MAX) || '(empty answer)', began)
  } catch (error) {
    if (error instanceof ModelError) return result(false, error.message, began)
    if ((error as Error).name === 'TimeoutError')
      return result(false, `No complete answer within ${TEST_TIMEOUT_MS / 1000} seconds`, began)
    throw error
  }
}

const result = (successful: boolean, message: string, began: number) => ({
  successful,
  message,
  latency_ms: Math.round(performance.now() - began),
})
