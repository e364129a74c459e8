import type { Config } from '#config'
import { AppError, fail } from '#errors'
import type { DefaultCaller, ModelFinder, ResolvedModel } from '../llm/index.ts'
import type { PlaygroundMode } from './memory.ts'

/** Prefixes that a model's name may have. */
const PREFIXES = ['gpt', 'o1', 'claude', 'deepseek', 'gemini']

export function checkPrefix(model: string | undefined): void {
  if (model !== undefined && !PREFIXES.some((prefix) => model.startsWith(prefix)))
    throw fail('mcp.model_prefix')
}

/**
 * Returns the named model. Without a name, returns the mode's default model if the organization can use it, or else
 * the caller's default model (ModelFinder.findDefault). Direct mode requires a model that can call tools. Throws
 * llm.not_found, llm.inactive, llm.not_configured, llm.cannot_chat, llm.cannot_call_tools, llm.none.
 */
export async function chooseModel(
  models: ModelFinder,
  defaults: Config['playgroundModels'],
  caller: DefaultCaller,
  mode: PlaygroundMode,
  named: string | undefined,
): Promise<ResolvedModel> {
  const needed = mode === 'direct' ? ['text', 'tools'] : ['text']
  if (named !== undefined) {
    const model = await models.findCalled(caller.organizationId, named)
    if (!model.capabilities.includes('text')) throw fail('llm.cannot_chat')
    if (mode === 'direct' && !model.capabilities.includes('tools')) throw fail('llm.cannot_call_tools')
    return model
  }
  const usual = await findUsable(models, caller.organizationId, defaults[mode])
  if (usual && needed.every((capability) => usual.capabilities.includes(capability))) return usual
  return models.findDefault(caller, ...needed)
}

async function findUsable(
  models: ModelFinder,
  organizationId: string,
  called: string,
): Promise<ResolvedModel | null> {
  try {
    return await models.findCalled(organizationId, called)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
