import type { LanguageModel } from '@parley/client/schemas'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { SwitchField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('models')

const RATIOS = ['input_ratio', 'output_ratio', 'seconds_ratio'] as const
type Ratio = (typeof RATIOS)[number]

/**
 * Changes the price of a model that the environment configures, and whether it is enabled. For system administrators.
 */
export function EnvironmentModelDialog({ model, onClose }: { model: LanguageModel; onClose: () => void }) {
  const notify = useNotify()
  const isForAudio = model.config.capabilities?.includes('transcription') ?? false
  const shown = RATIOS.filter((name) => (name === 'seconds_ratio') === isForAudio)
  const [isActive, setActive] = useState(model.is_active)
  const [ratios, setRatios] = useState<Partial<Record<Ratio, string>>>(() =>
    Object.fromEntries(shown.map((name) => [name, String(model.config[name] ?? 1)])),
  )
  const change = useChange('PUT /api/llm/update_environment_model', {
    outdates: ['GET /api/llm/list', 'GET /api/llm/defaults'],
    onDone: () => {
      notify(t('environment.saved', { name: model.name }))
      onClose()
    },
  })
  const submit = () => {
    const given = Object.fromEntries(shown.map((name) => [name, Number(ratios[name])]))
    change.mutate({ query: { model_id: model.id }, body: { ...given, is_active: isActive } })
  }
  return (
    <FormDialog
      open
      onClose={onClose}
      title={model.name}
      description={t('environment.description')}
      action={t('environment.save')}
      busy={change.isPending}
      error={change.error}
      onSubmit={submit}
    >
      <SwitchField label={t('environment.enabled')} checked={isActive} onChange={setActive} />
      {shown.map((name) => (
        <TextField
          key={name}
          label={t(`form.${name}`)}
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
