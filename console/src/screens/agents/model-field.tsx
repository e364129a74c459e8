import type { LanguageModel } from '@parley/client/schemas'
import { Link } from '@tanstack/react-router'
import { translator } from '../../messages/index.ts'
import { useModels } from '../../shell/models.ts'
import { useHere } from '../../shell/organization.tsx'
import { type Choice, listChoices } from '../../ui/choices.ts'
import { PickerField } from '../../ui/picker-field.tsx'

const t = translator('agents')

interface ModelFieldProps {
  modelId: string | null
  onChange: (modelId: string) => void
  /** Whether the agent has tools. If so, the field warns about a model that cannot call tools. */
  withTools?: boolean
}

/** A field for the text model of an agent. */
export function ModelField({ modelId, onChange, withTools = false }: ModelFieldProps) {
  const { organization } = useHere()
  const here = { org_id: organization.id }
  const { newest, models, isLoading } = useModels(modelId === null ? [] : [modelId])
  const model = models.find(({ id }) => id === modelId)
  if (newest.data && !newest.hasNextPage && !newest.data.some(isUsable))
    return (
      <p className="text-sm text-danger">
        {t.rich('model.add', {
          link: (text) => (
            <Link to="/models" className="underline">
              {text}
            </Link>
          ),
        })}
      </p>
    )
  const chosen = (id: string): Choice => {
    if (model) return { id, name: isUsable(model) ? model.name : t('model.inactive', { name: model.name }) }
    return { id, name: newest.data && !isLoading ? t('model.deleted') : '…' }
  }
  return (
    <PickerField
      label={t('model.model')}
      lists={[listChoices('GET /api/llm/list', here, (one) => (isUsable(one) ? choiceOf(one) : null))]}
      chosen={modelId === null ? [] : [chosen(modelId)]}
      onChange={([next]) => next && onChange(next.id)}
      error={withTools && model && !can(model, 'tools') ? t('model.noTools') : null}
    />
  )
}

const choiceOf = ({ id, name, organization_id }: LanguageModel): Choice => ({
  id,
  name,
  note: organization_id === null ? t('model.shared') : undefined,
})

const isUsable = (model: LanguageModel): boolean => model.is_active && can(model, 'text')

const can = ({ config }: LanguageModel, capability: string): boolean =>
  (config.capabilities as readonly string[] | undefined)?.includes(capability) ?? false
