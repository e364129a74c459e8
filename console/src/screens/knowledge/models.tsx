import type { LanguageModel } from '@parley/client/schemas'
import type { ComponentProps } from 'react'
import { translator } from '../../messages/index.ts'
import { useModels } from '../../shell/models.ts'
import { useHere } from '../../shell/organization.tsx'
import { type ChoiceList, listChoices } from '../../ui/choices.ts'
import { PickerField } from '../../ui/picker-field.tsx'

const t = translator('knowledge')

/** The built-in embedding model. It matches similar spelling, is free, and requires no API key. */
export const LOCAL = 'local'

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

type Capability = NonNullable<LanguageModel['config']['capabilities']>[number]

/** Returns the list of active models that have a capability. The model with the id or name `value` keeps that as its id. */
function useModelList(capability: Capability, value: string): ChoiceList {
  const { organization } = useHere()
  return listChoices('GET /api/llm/list', { org_id: organization.id }, ({ id, name, is_active, config }) =>
    is_active && config.capabilities?.includes(capability) ? { id: name === value ? name : id, name } : null,
  )
}

/** Returns the name of the model with this id or name. */
function useModelName(value: string): string {
  const { models } = useModels(UUID.test(value) ? [value] : [])
  return models.find(({ id }) => id === value)?.name ?? value
}

type ModelFieldProps = Pick<ComponentProps<typeof PickerField>, 'label' | 'hint'> & {
  value: string
  onChange: (value: string) => void
}

export function EmbeddingField({ value, onChange, ...rest }: ModelFieldProps) {
  const builtIn = { id: LOCAL, name: t('embedding.builtInFree') }
  const name = useModelName(value)
  return (
    <PickerField
      {...rest}
      choices={[builtIn]}
      lists={[useModelList('embedding', value)]}
      chosen={[value === LOCAL ? builtIn : { id: value, name }]}
      onChange={([chosen]) => chosen && onChange(chosen.id)}
    />
  )
}

/** A field for a text model. `none` is the label of the choice without a model. If omitted, there is no such choice. */
export function TextModelField({ value, onChange, none, ...rest }: ModelFieldProps & { none?: string }) {
  const name = useModelName(value)
  const without = none === undefined ? [] : [{ id: '', name: none }]
  return (
    <PickerField
      {...rest}
      choices={without}
      lists={[useModelList('text', value)]}
      chosen={value === '' ? without : [{ id: value, name }]}
      onChange={([chosen]) => chosen && onChange(chosen.id)}
    />
  )
}

/**
 * Returns an embedding model's name for display.
 *
 * @param value a model's name or id, or `local`
 */
export function useEmbeddingName(value: string): string {
  const name = useModelName(value)
  return value === LOCAL ? t('embedding.builtIn') : name
}
