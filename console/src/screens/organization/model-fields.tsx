import type { LanguageModel, ModelConnection } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { classNames } from '../../ui/class-names.ts'
import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import { needsAddress, needsKey } from '../providers/provider-access.ts'
import type { Provider } from '../providers/provider-list.ts'
import { CAPABILITIES, type ModelDraft, nameOf, providerChoices } from './model-draft.ts'

const t = translator('models')

interface FieldsProps {
  model: LanguageModel | null
  draft: ModelDraft
  onDraft: (change: Partial<ModelDraft>) => void
}

type TextName = Exclude<keyof ModelDraft, 'name' | 'provider' | 'connection_id' | 'capabilities'>

const bind =
  ({ draft, onDraft }: FieldsProps) =>
  (name: TextName) => ({
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) => onDraft({ [name]: target.value }),
  })

/** Provider, model and name, with everything else under Advanced. */
export function ModelFields({ connections, ...props }: FieldsProps & { connections: ModelConnection[] }) {
  const { model, draft, onDraft } = props
  return (
    <>
      <Source {...props} connections={connections} />
      <Access {...props} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Version {...props} />
        <TextField
          label={t('form.name')}
          required
          maxLength={200}
          value={nameOf(draft)}
          onChange={({ target }) => onDraft({ name: target.value })}
        />
      </div>
      <details open={model !== null}>
        <summary className="w-fit cursor-pointer text-sm font-medium text-muted">
          {t('form.advanced')}
        </summary>
        <div className="mt-4 flex flex-col gap-4">
          <Address {...props} isOptional />
          {draft.model !== '' && (
            <TextField
              label={t('form.model')}
              hint={t('form.modelHint')}
              maxLength={200}
              {...bind(props)('model')}
            />
          )}
          <Price {...props} />
          <Capabilities {...props} />
        </div>
      </details>
    </>
  )
}

/** The connection to use, or the provider of a new one. A model keeps its provider. */
function Source({ model, draft, onDraft, connections }: FieldsProps & { connections: ModelConnection[] }) {
  const usable = connections.filter(({ provider }) => model === null || provider === model.provider)
  const fresh = providerChoices().filter(([provider]) => model === null || provider === model.provider)
  const choose = (value: string) => {
    const connection = usable.find(({ id }) => id === value)
    onDraft({
      provider: connection?.provider ?? (value as Provider),
      connection_id: connection?.id ?? null,
      api_key: '',
      base_url: connection ? '' : (model?.config.base_url ?? ''),
    })
  }
  return (
    <SelectField
      label={t('form.provider')}
      value={draft.connection_id ?? draft.provider}
      disabled={usable.length + fresh.length < 2}
      onChange={({ target }) => choose(target.value)}
    >
      {usable.length > 0 && (
        <optgroup label={t('form.connections')}>
          {usable.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </optgroup>
      )}
      <optgroup label={t(model === null ? 'form.newConnection' : 'form.ownKey')}>
        {fresh.map(([provider, text]) => (
          <option key={provider} value={provider}>
            {text}
          </option>
        ))}
      </optgroup>
    </SelectField>
  )
}

/** The model's ID, with those that the connection offers as suggestions. */
function Version(props: FieldsProps) {
  const id = useId()
  const { connection_id } = props.draft
  const offered = useQuery({
    ...read('GET /api/llm/connections/list_models', { connection_id: connection_id ?? '' }),
    enabled: connection_id !== null,
    retry: false,
  })
  return (
    <>
      <TextField
        label={t('form.version')}
        placeholder="gpt-5-mini"
        required
        maxLength={200}
        autoCapitalize="none"
        list={id}
        {...bind(props)('version')}
      />
      <datalist id={id}>
        {offered.data?.data.map(({ version }) => (
          <option key={version} value={version} />
        ))}
      </datalist>
    </>
  )
}

const isMoved = ({ model, draft }: FieldsProps): boolean =>
  model !== null && draft.base_url.trim() !== (model.config.base_url ?? '')

/** The key of a new connection or of the model, and the base URL if the provider has no default one. */
function Access(props: FieldsProps) {
  const { model, draft } = props
  if (draft.provider === 'demo' || draft.connection_id !== null) return null
  const hasKey = model?.config.has_api_key === true
  const isKept = hasKey && !isMoved(props)
  return (
    <div className={classNames('grid gap-4', needsAddress(draft.provider) && 'sm:grid-cols-2')}>
      <Address {...props} isOptional={false} />
      <TextField
        label={t(needsKey(draft.provider) && !isKept ? 'form.key' : 'form.keyOptional')}
        hint={hasKey ? t(isKept ? 'form.keyKept' : 'form.keyMoved') : t('form.keyStored')}
        type="password"
        autoComplete="off"
        required={(needsKey(draft.provider) && !isKept) || (hasKey && !isKept)}
        placeholder={isKept ? '••••••••' : ''}
        maxLength={2000}
        {...bind(props)('api_key')}
      />
    </div>
  )
}

/** The base URL, shown only if it is as optional as `isOptional` says. */
function Address({ isOptional, ...props }: FieldsProps & { isOptional: boolean }) {
  const { provider, connection_id } = props.draft
  const isNeeded = needsAddress(provider)
  if (provider === 'demo' || connection_id !== null || isNeeded === isOptional) return null
  return (
    <TextField
      label={t(isNeeded ? 'form.url' : 'form.urlOptional')}
      hint={isNeeded ? undefined : t('form.urlHint')}
      type="url"
      required={isNeeded}
      placeholder={provider === 'ollama' ? 'http://localhost:11434' : 'https://models.example.com/v1'}
      maxLength={2000}
      {...bind(props)('base_url')}
    />
  )
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
