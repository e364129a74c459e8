import type { LanguageModel } from '@parley/client/schemas'
import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import {
  CAPABILITIES,
  type ModelDraft,
  needsAddress,
  needsKey,
  PROVIDERS,
  type Provider,
} from './model-draft.ts'

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
        label="Provider"
        disabled={model !== null}
        value={draft.provider}
        onChange={({ target }) => onDraft({ provider: target.value as Provider })}
      >
        {PROVIDERS.map(([provider, text]) => (
          <option key={provider} value={provider}>
            {text}
          </option>
        ))}
      </SelectField>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Name" hint="What it is called here" required maxLength={200} {...field('name')} />
        <TextField
          label="Model"
          hint="What its provider calls it"
          placeholder="gpt-5-mini"
          required
          maxLength={200}
          autoCapitalize="none"
          {...field('version')}
        />
      </div>
      {draft.model !== '' && (
        <TextField
          label="Model in requests"
          hint="Sent instead of the name above"
          maxLength={200}
          {...field('model')}
        />
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
        label={needsAddress(draft.provider) ? 'Address' : 'Address (optional)'}
        hint="Where its API is, when it is not the provider’s own"
        type="url"
        required={needsAddress(draft.provider)}
        placeholder={draft.provider === 'ollama' ? 'http://localhost:11434' : 'https://models.example.com/v1'}
        maxLength={2000}
        {...field('base_url')}
      />
      <TextField
        label={needsKey(draft.provider) && !isKept ? 'API key' : 'API key (optional)'}
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
  if (!model?.config.has_api_key) return 'Kept encrypted, and never shown again'
  return isMoved ? 'Give it again, since the address changes' : 'There is one. Empty: it stays'
}

function Price(props: FieldsProps) {
  const field = bind(props)
  const number = { type: 'number', min: 0, max: 1_000_000, step: 'any', placeholder: '1' }
  return (
    <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
      <TextField label="Credits an input token" {...number} {...field('input_ratio')} />
      <TextField label="Credits an output token" {...number} {...field('output_ratio')} />
      {props.draft.capabilities.includes('transcription') && (
        <TextField label="Credits a second" {...number} {...field('seconds_ratio')} />
      )}
      <TextField
        label="Context window"
        type="number"
        min={256}
        max={100_000_000}
        step={1}
        placeholder="tokens"
        {...field('context_window')}
      />
    </div>
  )
}

const Capabilities = ({ draft, onDraft }: FieldsProps) => (
  <fieldset>
    <legend className="text-sm font-medium">Capabilities</legend>
    <p className="text-sm text-muted">With none ticked they are guessed from the model’s name.</p>
    <div className="mt-2 grid grid-cols-2 gap-x-4 gap-y-1.5 sm:grid-cols-4">
      {CAPABILITIES.map(([capability, text]) => (
        <CheckField
          key={capability}
          label={text}
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
