import type { LanguageModel } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import type { ComponentProps, ReactNode } from 'react'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { SelectField } from '../../ui/field.tsx'

const t = translator('knowledge')

/** The select lists one page of models. */
const MODELS_MAX = 100

/** The built-in embedding model: matches similar spelling, free, without a key. */
export const LOCAL = 'local'

type Capability = NonNullable<LanguageModel['config']['capabilities']>[number]

/** Returns the organization's active models with this capability. */
export function useModels(capability: Capability): LanguageModel[] {
  const { organization } = useHere()
  const { data } = useQuery(read('GET /api/llm/list', { org_id: organization.id, limit: MODELS_MAX }))
  return (
    data?.data.filter(
      ({ is_active, config }) => is_active && config.capabilities?.includes(capability) === true,
    ) ?? []
  )
}

type SelectProps = Omit<ComponentProps<typeof SelectField>, 'onChange' | 'value' | 'children'> & {
  value: string
  onChange: (value: string) => void
}

export function EmbeddingField({ value, onChange, ...rest }: SelectProps) {
  const models = useModels('embedding')
  const isListed = value === LOCAL || models.some(({ id, name }) => value === id || value === name)
  return (
    <SelectField {...rest} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value={LOCAL}>{t('embedding.builtInFree')}</option>
      {!isListed && <option value={value}>{value}</option>}
      {models.map(({ id, name }) => (
        <option key={id} value={name === value ? name : id}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}

/** Chooses a language model. `none` is the label of the empty option; without it a model is required. */
export function TextModelField({ value, onChange, none, ...rest }: SelectProps & { none?: ReactNode }) {
  const models = useModels('text')
  return (
    <SelectField {...rest} value={value} onChange={({ target }) => onChange(target.value)}>
      {none !== undefined && <option value="">{none}</option>}
      {value !== '' && !models.some(({ id }) => id === value) && <option value={value}>{value}</option>}
      {models.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}

/**
 * Returns the name of a knowledge base's embedding model.
 *
 * @param value a model's name or id, or `local`
 */
export function useEmbeddingName(value: string): string {
  const models = useModels('embedding')
  if (value === LOCAL) return t('embedding.builtIn')
  return models.find(({ id }) => id === value)?.name ?? value
}
