import type { LanguageModel } from '@parley/client/schemas'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { SwitchField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useNotify } from '../../ui/toast.tsx'

const RATIOS = [
  ['input_ratio', 'Credits an input token'],
  ['output_ratio', 'Credits an output token'],
  ['seconds_ratio', 'Credits a second of a recording'],
] as const
type Ratio = (typeof RATIOS)[number][0]

/** For the administrator of the installation: what a model of the environment costs, and whether it is offered. */
export function EnvironmentModelDialog({ model, onClose }: { model: LanguageModel; onClose: () => void }) {
  const notify = useNotify()
  const isHeard = model.config.capabilities?.includes('transcription') ?? false
  const shown = RATIOS.filter(([name]) => (name === 'seconds_ratio') === isHeard)
  const [isActive, setActive] = useState(model.is_active)
  const [ratios, setRatios] = useState<Partial<Record<Ratio, string>>>(() =>
    Object.fromEntries(shown.map(([name]) => [name, String(model.config[name] ?? 1)])),
  )
  const change = useChange('PUT /api/llm/update_environment_model', {
    outdates: ['GET /api/llm/list'],
    onDone: () => {
      notify(`${model.name} is saved, for all organizations`)
      onClose()
    },
  })
  const submit = () => {
    const given = Object.fromEntries(shown.map(([name]) => [name, Number(ratios[name])]))
    change.mutate({ query: { model_id: model.id }, body: { ...given, is_active: isActive } })
  }
  return (
    <FormDialog
      open
      onClose={onClose}
      title={model.name}
      description="It comes from the environment of this installation. What you set here holds for all organizations."
      action="Save"
      busy={change.isPending}
      error={change.error}
      onSubmit={submit}
    >
      <SwitchField label="Offered" checked={isActive} onChange={setActive} />
      {shown.map(([name, label]) => (
        <TextField
          key={name}
          label={label}
          type="number"
          required
          min={0}
          max={1_000_000}
          step="any"
          value={ratios[name] ?? ''}
          onChange={({ target }) => setRatios({ ...ratios, [name]: target.value })}
        />
      ))}
    </FormDialog>
  )
}
