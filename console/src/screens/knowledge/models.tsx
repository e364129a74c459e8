import type { LanguageModel } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import type { ComponentProps, ReactNode } from 'react'
import { read } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { SelectField } from '../../ui/field.tsx'

/** More models than one page holds are no list to choose from. */
const MODELS_MAX = 100

/** What is built in: it finds by words that look alike, costs nothing, and needs no key. */
export const LOCAL = 'local'

type Capability = NonNullable<LanguageModel['config']['capabilities']>[number]

/** The models of the organization that are on and can do this. */
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

/** Chooses what makes the vectors of texts. */
export function EmbeddingField({ value, onChange, ...rest }: SelectProps) {
  const models = useModels('embedding')
  const isListed = value === LOCAL || models.some(({ id, name }) => value === id || value === name)
  return (
    <SelectField {...rest} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value={LOCAL}>Built in (local, free)</option>
      {!isListed && <option value={value}>{value}</option>}
      {models.map(({ id, name }) => (
        <option key={id} value={name === value ? name : id}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}

/** Chooses a language model, or none where that has a name. */
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

/** The name of an embedding model as a knowledge base says it: a name, an id, or what is built in. */
export function useEmbeddingName(value: string): string {
  const models = useModels('embedding')
  if (value === LOCAL) return 'built in (local)'
  return models.find(({ id }) => id === value)?.name ?? value
}
