import type { LanguageModel, ModelConnection } from '@parley/client/schemas'
import { useState } from 'react'
import { translator } from '../../messages/index.ts'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { ProgressText } from '../../ui/progress-text.tsx'
import { ChooseModels } from './choose-models.tsx'
import { keysPageOf, needsAddress, needsKey } from './provider-access.ts'
import { type Connectable, properNameOf } from './provider-list.ts'
import { useConnect, useConnections } from './use-connect.ts'

const t = translator('models')

interface ConnectDialogProps {
  provider: Connectable
  /** The connection to add models of. Null for the provider's existing connection, or for a new one. */
  connection: ModelConnection | null
  /** The label of the button that adds the chosen models. */
  action: string
  onAdded: (models: LanguageModel[]) => void
  onClose: () => void
}

/** Connects a provider in two steps: the key, then the models. */
export default function ConnectDialog({ provider, connection, ...rest }: ConnectDialogProps) {
  const connections = useConnections()
  const [chosen, setChosen] = useState<ModelConnection | 'new' | null>(connection)
  if (connections.isPending) return null
  const used = chosen ?? connections.data?.data.find((one) => one.provider === provider) ?? 'new'
  return used === 'new' ? (
    <EnterKey provider={provider} onConnected={setChosen} onClose={rest.onClose} />
  ) : (
    <ChooseModels key={used.id} connection={used} onOtherKey={() => setChosen('new')} {...rest} />
  )
}

interface EnterKeyProps {
  provider: Connectable
  onConnected: (connection: ModelConnection) => void
  onClose: () => void
}

function EnterKey({ provider, onConnected, onClose }: EnterKeyProps) {
  const [apiKey, setApiKey] = useState('')
  const [baseUrl, setBaseUrl] = useState('')
  const connect = useConnect(onConnected)
  const keysPage = keysPageOf(provider)
  const name = properNameOf(provider) ?? t('connect.server')
  return (
    <FormDialog
      open
      onClose={onClose}
      title={t('connect.title', { name })}
      description={keysPage === null ? t('connect.noKeys') : undefined}
      action={t('connect.connect')}
      busy={connect.isPending}
      error={connect.error}
      onSubmit={() => connect.mutate({ provider, apiKey, baseUrl })}
    >
      {needsAddress(provider) && (
        <TextField
          label={t('form.url')}
          type="url"
          required
          maxLength={2000}
          placeholder={provider === 'ollama' ? 'http://localhost:11434' : 'https://models.example.com/v1'}
          value={baseUrl}
          onChange={({ target }) => setBaseUrl(target.value)}
        />
      )}
      <TextField
        label={t(needsKey(provider) ? 'form.key' : 'form.keyOptional')}
        hint={t('form.keyStored')}
        type="password"
        autoComplete="off"
        required={needsKey(provider)}
        maxLength={2000}
        value={apiKey}
        onChange={({ target }) => setApiKey(target.value)}
      />
      {keysPage !== null && (
        <a href={keysPage} target="_blank" rel="noreferrer" className="w-fit text-sm text-accent underline">
          {t('connect.getKey', { name })}
        </a>
      )}
      {connect.isPending && <ProgressText>{t('connect.reading', { name })}</ProgressText>}
    </FormDialog>
  )
}
