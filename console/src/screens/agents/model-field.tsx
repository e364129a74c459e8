import type { LanguageModel } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { SelectField } from '../../ui/field.tsx'

/** The models that write text. `usable`: those of them that are active. */
export function useChatModels() {
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
  /** The agent calls tools: not every model can. */
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
        There is no active model that writes text.{' '}
        <Link to="/models" className="underline">
          Add a model
        </Link>{' '}
        first.
      </p>
    )
  return (
    <SelectField
      label="Model"
      required
      value={modelId ?? ''}
      onChange={({ target }) => onChange(target.value)}
      error={
        withTools && chosen && !can(chosen, 'tools')
          ? 'This model cannot call tools. Choose another one, or take the tools away.'
          : null
      }
    >
      {isMissing && (
        <option value={modelId} disabled>
          {chosen ? `${chosen.name} (not active)` : 'A model that is gone'}
        </option>
      )}
      <Models label={organization.name} models={own} />
      <Models label="For everybody here" models={common} />
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
