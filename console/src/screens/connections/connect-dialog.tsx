import { ExternalLink } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { type AuthType, type Target, useConnect } from './use-connect.ts'

const t = translator('connections')

interface ConnectDialogProps {
  target: Target
  onClose: () => void
  onConnected?: (instanceId: string) => void
}

/**
 * Connects an account to an MCP server. Before the user leaves Parley, the dialog explains who gets access to the
 * account.
 */
export function ConnectDialog({ target, onClose, onConnected }: ConnectDialogProps) {
  const { organization } = useHere()
  const { server, instanceId } = target
  const { connecting, begin, giveUp } = useConnect(target, onConnected)
  const isNew = instanceId === undefined
  return (
    <Dialog
      open
      onClose={onClose}
      title={
        isNew ? t('connect.title', { name: server.name }) : t('connect.reconnectTitle', { name: server.name })
      }
      description={t('connect.description', { organization: organization.name })}
    >
      {connecting.state === 'connected' ? (
        <Connected name={server.name} onClose={onClose} />
      ) : connecting.state === 'away' ? (
        <Away host={connecting.host} onGiveUp={giveUp} />
      ) : (
        <Ask
          target={target}
          isWorking={connecting.state === 'working'}
          error={connecting.state === 'failed' ? connecting.error : null}
          onBegin={begin}
          onCancel={onClose}
        />
      )}
    </Dialog>
  )
}

interface AskProps {
  target: Target
  isWorking: boolean
  error: Error | null
  onBegin: (apiKey?: string) => void
  onCancel: () => void
}

function Ask({ target: { server }, isWorking, error, onBegin, onCancel }: AskProps) {
  const [key, setKey] = useState('')
  const takesKey = server.auth_type === 'api_key'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onBegin(takesKey ? key.trim() : undefined)
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-sm">{introOf(server.auth_type, server.name)}</p>
      {takesKey && (
        <TextField
          label={t('connect.apiKeyLabel', { name: server.name })}
          hint={t('connect.apiKeyHint')}
          type="password"
          autoComplete="off"
          required
          maxLength={4_000}
          value={key}
          onChange={({ target }) => setKey(target.value)}
        />
      )}
      {error && <Failure error={error} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onCancel}>{t('cancel')}</Button>
        <Button
          type="submit"
          kind="primary"
          busy={isWorking}
          {...(isAway(server.auth_type) && { icon: ExternalLink })}
        >
          {isAway(server.auth_type) ? t('connect.continue') : t('connect.connect')}
        </Button>
      </div>
    </form>
  )
}

const isAway = (type: AuthType): boolean => type === 'oauth' || type === 'composio'

function introOf(type: AuthType, name: string): string {
  switch (type) {
    case 'oauth':
      return t('connect.oauthIntro', { name })
    case 'composio':
      return t('connect.composioIntro', { name })
    case 'api_key':
      return t('connect.apiKeyIntro', { name })
    default:
      return t('connect.noAccountIntro', { name })
  }
}

const Away = ({ host, onGiveUp }: { host: string; onGiveUp: () => void }) => (
  <div className="flex flex-col gap-4">
    <p role="status" className="text-sm">
      {t.rich('connect.away', {
        address: host,
        host: (text) => <strong className="wrap-anywhere">{text}</strong>,
      })}
    </p>
    <Buttons>
      <Button onClick={onGiveUp}>{t('connect.startOver')}</Button>
    </Buttons>
  </div>
)

const Connected = ({ name, onClose }: { name: string; onClose: () => void }) => (
  <div className="flex flex-col gap-4">
    <p role="status" className="text-sm">
      {t('connect.connected', { name })}
    </p>
    <Buttons>
      <Button kind="primary" onClick={onClose}>
        {t('connect.done')}
      </Button>
    </Buttons>
  </div>
)

const Buttons = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap justify-end gap-2">{children}</div>
)
