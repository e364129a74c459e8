import type { LanguageModel } from '@parley/client/schemas'
import { useHere } from '../../shell/organization.tsx'
import { type ChoiceList, listChoices } from '../../ui/choices.ts'

/** The name prefixes of models that `POST /api/mcp_playground/chat` accepts. */
const FAMILIES = ['gpt', 'o1', 'claude', 'deepseek', 'gemini']

/**
 * Returns the list of selectable models. The id of a choice is the model name that the API accepts. If `withTools` is
 * true, lists only models that can call tools.
 */
export function useModelList(withTools: boolean): ChoiceList {
  const { organization } = useHere()
  return listChoices('GET /api/llm/list', { org_id: organization.id }, (model) => {
    const id = calledOf(model)
    const isUsable = model.is_active && can(model, 'text') && (!withTools || can(model, 'tools'))
    return isUsable && id !== undefined ? { id, name: model.name, note: model.provider } : null
  })
}

const calledOf = ({ name, version }: LanguageModel): string | undefined =>
  [version, name].find((text) => FAMILIES.some((family) => text.startsWith(family)))

const can = ({ config }: LanguageModel, capability: string): boolean =>
  (config.capabilities as readonly string[] | undefined)?.includes(capability) ?? false
