import type { LanguageModel } from '@parley/client/schemas'
import { translator } from '../../messages/index.ts'
import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import {
  CAPABILITIES,
  type ModelDraft,
  needsAddress,
  needsKey,
  type Provider,
  providerChoices,
} from './model-draft.ts'

const t = translator('models')

interface FieldsProps {
  model: LanguageModel | null
  draft: ModelDraft
  onDraft: (change: Partial<ModelDraft>) => void
}

type TextName = Exclude<keyof ModelDraft, 'provider' | 'capabilities'>

const bind =
  ({ draft, onDraft }: FieldsProps) =>
  (name: TextName) => ({
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) => onDraft({ [name]: target.value }),
  })

export const ModelFields = (props: FieldsProps) => (
  <>
    <Identity {...props} />
    <Access {...props} />
    <Price {...props} />
    <Capabilities {...props} />
  </>
)

function Identity(props: FieldsProps) {
  const field = bind(props)
  const { model, draft, onDraft } = props
  return (
    <>
      <SelectField
        label={t('form.provider')}
        disabled={model !== null}
        value={draft.provider}
        onChange={({ target }) => onDraft({ provider: target.value as Provider })}
      >
        {providerChoices().map(([provider, text]) => (
          <option key={provider} value={provider}>
            {text}
          </option>
        ))}
      </SelectField>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label={t('form.name')} required maxLength={200} {...field('name')} />
        <TextField
          label={t('form.version')}
          placeholder="gpt-5-mini"
          required
          maxLength={200}
          autoCapitalize="none"
          {...field('version')}
        />
      </div>
      {draft.model !== '' && (
        <TextField label={t('form.model')} hint={t('form.modelHint')} maxLength={200} {...field('model')} />
      )}
    </>
  )
}

function Access(props: FieldsProps) {
  const field = bind(props)
  const { model, draft } = props
  if (draft.provider === 'demo') return null
  const isMoved = model !== null && draft.base_url.trim() !== (model.config.base_url ?? '')
  const isKept = model?.config.has_api_key === true && !isMoved
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label={t(needsAddress(draft.provider) ? 'form.url' : 'form.urlOptional')}
        hint={needsAddress(draft.provider) ? undefined : t('form.urlHint')}
        type="url"
        required={needsAddress(draft.provider)}
        placeholder={draft.provider === 'ollama' ? 'http://localhost:11434' : 'https://models.example.com/v1'}
        maxLength={2000}
        {...field('base_url')}
      />
      <TextField
        label={t(needsKey(draft.provider) && !isKept ? 'form.key' : 'form.keyOptional')}
        hint={hintOf(model, isMoved)}
        type="password"
        autoComplete="off"
        required={(needsKey(draft.provider) && !isKept) || (isMoved && model.config.has_api_key)}
        placeholder={isKept ? '••••••••' : ''}
        maxLength={2000}
        {...field('api_key')}
      />
    </div>
  )
}

function hintOf(model: LanguageModel | null, isMoved: boolean): string {
  if (!model?.config.has_api_key) return t('form.keyStored')
  return t(isMoved ? 'form.keyMoved' : 'form.keyKept')
}

function Price(props: FieldsProps) {
  const field = bind(props)
  const number = { type: 'number', min: 0, max: 1_000_000, step: 'any', placeholder: '1' }
  return (
    <div className="grid grid-cols-2 items-end gap-4 sm:grid-cols-3">
      <TextField label={t('form.input_ratio')} {...number} {...field('input_ratio')} />
      <TextField label={t('form.output_ratio')} {...number} {...field('output_ratio')} />
      {props.draft.capabilities.includes('transcription') && (
        <TextField label={t('form.seconds_ratio')} {...number} {...field('seconds_ratio')} />
      )}
      <TextField
        label={t('form.contextWindow')}
        type="number"
        min={256}
        max={100_000_000}
        step={1}
        {...field('context_window')}
      />
    </div>
  )
}

const Capabilities = ({ draft, onDraft }: FieldsProps) => (
  <fieldset>
    <legend className="text-sm font-medium">{t('form.capabilities')}</legend>
    <p className="text-sm text-muted">{t('form.capabilitiesHint')}</p>
    <div className="mt-2 grid grid-cols-2 gap-x-4 gap-y-1.5 sm:grid-cols-4">
      {CAPABILITIES.map((capability) => (
        <CheckField
          key={capability}
          label={t(`capability.${capability}`)}
          checked={draft.capabilities.includes(capability)}
          onChange={({ target }) =>
            onDraft({
              capabilities: target.checked
                ? [...draft.capabilities, capability]
                : draft.capabilities.filter((one) => one !== capability),
            })
          }
        />
      ))}
    </div>
  </fieldset>
)
