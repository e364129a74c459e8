import type { LanguageModel } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { SelectField } from '../../ui/field.tsx'

const t = translator('agents')

/** Returns the text models. `all` includes inactive models; `usable` does not. */
function useChatModels() {
  const { organization } = useHere()
  const models = useQuery(read('GET /api/llm/list', { org_id: organization.id, limit: 100 }))
  const all = (models.data?.data ?? []).filter((model) => can(model, 'text'))
  return { all, usable: all.filter(({ is_active }) => is_active), isLoaded: models.data !== undefined }
}

const can = ({ config }: LanguageModel, capability: string): boolean =>
  (config.capabilities as readonly string[] | undefined)?.includes(capability) ?? false

interface ModelFieldProps {
  modelId: string | null
  onChange: (modelId: string) => void
  /** Whether the agent has tools. If so, the field warns about a model that cannot call tools. */
  withTools?: boolean
}

export function ModelField({ modelId, onChange, withTools = false }: ModelFieldProps) {
  const { organization } = useHere()
  const { all, usable, isLoaded } = useChatModels()
  const chosen = all.find(({ id }) => id === modelId)
  const isMissing = isLoaded && modelId !== null && !usable.some(({ id }) => id === modelId)
  const own = usable.filter(({ organization_id }) => organization_id !== null)
  const common = usable.filter(({ organization_id }) => organization_id === null)
  if (isLoaded && usable.length === 0)
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
  return (
    <SelectField
      label={t('model.model')}
      required
      value={modelId ?? ''}
      onChange={({ target }) => onChange(target.value)}
      error={withTools && chosen && !can(chosen, 'tools') ? t('model.noTools') : null}
    >
      {isMissing && (
        <option value={modelId} disabled>
          {chosen ? t('model.inactive', { name: chosen.name }) : t('model.deleted')}
        </option>
      )}
      <Models label={organization.name} models={own} />
      <Models label={t('model.shared')} models={common} />
    </SelectField>
  )
}

const Models = ({ label, models }: { label: string; models: LanguageModel[] }) =>
  models.length > 0 && (
    <optgroup label={label}>
      {models.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </optgroup>
  )
