import type { LanguageModel, ModelConnection } from '@parley/client/schemas'
import { useState } from 'react'
import { translator } from '../../messages/index.ts'
import { Logo } from '../../ui/avatar.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { ProgressText } from '../../ui/progress-text.tsx'
import { ChooseModels } from './choose-models.tsx'
import { KNOWN_SERVERS, type KnownServer, knownServerAt } from './known-servers.ts'
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
  const isCompatible = provider === 'openai-compatible'
  const server = isCompatible ? knownServerAt(baseUrl) : undefined
  const keysPage = server ? server.keysPage : keysPageOf(provider)
  const name = server?.name ?? properNameOf(provider) ?? t('connect.server')
  return (
    <FormDialog
      open
      onClose={onClose}
      title={t('connect.title', { name })}
      description={isCompatible ? t('connect.compatibleHint') : undefined}
      action={t('connect.connect')}
      busy={connect.isPending}
      error={connect.error}
      onSubmit={() => connect.mutate({ provider, server: server?.name, apiKey, baseUrl })}
    >
      {isCompatible && <KnownServers chosen={server} onChoose={setBaseUrl} />}
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
        <a
          href={keysPage}
          target="_blank"
          rel="noreferrer"
          className="reach w-fit text-sm text-accent underline"
        >
          {t('connect.getKey', { name })}
        </a>
      )}
      {connect.isPending && <ProgressText>{t('connect.reading', { name })}</ProgressText>}
    </FormDialog>
  )
}

interface KnownServersProps {
  chosen: KnownServer | undefined
  onChoose: (baseUrl: string) => void
}

/** Buttons that fill in the base URL of a known server. */
const KnownServers = ({ chosen, onChoose }: KnownServersProps) => (
  <ul aria-label={t('connect.knownServers')} className="grid grid-cols-2 gap-2 sm:grid-cols-4">
    {KNOWN_SERVERS.map((server) => (
      <li key={server.name}>
        <button
          type="button"
          aria-pressed={server === chosen}
          onClick={() => onChoose(server.baseUrl)}
          className="flex min-h-10 w-full items-center gap-2 rounded-lg border border-line px-1.5 py-1 text-left text-sm hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft"
        >
          <Logo name={server.logo} />
          <span className="min-w-0 break-words">{server.name}</span>
        </button>
      </li>
    ))}
  </ul>
)
