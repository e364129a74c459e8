import type { LanguageModel } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import type { Choice } from '../../ui/picker-panel.tsx'

/** The name prefixes of models that `POST /api/mcp_playground/chat` accepts. */
const FAMILIES = ['gpt', 'o1', 'claude', 'deepseek', 'gemini']

/**
 * Returns the selectable models. The id of a choice is the model name that the API accepts. If `withTools` is true,
 * returns only models that can call tools.
 */
export function useModelChoices(withTools: boolean): Choice[] {
  const { organization, may } = useHere()
  const models = useQuery({
    ...read('GET /api/llm/list', { org_id: organization.id, limit: 100 }),
    enabled: may('organization:read'),
  })
  return (models.data?.data ?? [])
    .filter((model) => model.is_active && can(model, 'text') && (!withTools || can(model, 'tools')))
    .flatMap((model) => {
      const called = calledOf(model)
      return called === undefined ? [] : [{ id: called, name: model.name, note: model.provider }]
    })
    .filter((choice, place, all) => all.findIndex(({ id }) => id === choice.id) === place)
}

const calledOf = ({ name, version }: LanguageModel): string | undefined =>
  [version, name].find((text) => FAMILIES.some((family) => text.startsWith(family)))

const can = ({ config }: LanguageModel, capability: string): boolean =>
  (config.capabilities as readonly string[] | undefined)?.includes(capability) ?? false
