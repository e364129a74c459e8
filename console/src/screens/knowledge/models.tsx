import type { LanguageModel } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import type { ComponentProps, ReactNode } from 'react'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { SelectField } from '../../ui/field.tsx'

const t = translator('knowledge')

/** Maximum number of models in the select: one page of the API. */
const MODELS_MAX = 100

/** The built-in embedding model. It matches similar spelling, is free, and requires no API key. */
export const LOCAL = 'local'

type Capability = NonNullable<LanguageModel['config']['capabilities']>[number]

/** Returns the active models that have a capability. */
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

/** A select for a text model. `none` is the label of an empty option. If omitted, there is no empty option. */
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
 * Returns an embedding model's name for display.
 *
 * @param value a model's name or id, or `local`
 */
export function useEmbeddingName(value: string): string {
  const models = useModels('embedding')
  if (value === LOCAL) return t('embedding.builtIn')
  return models.find(({ id }) => id === value)?.name ?? value
}
