import { ExternalLink } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { type AuthType, type Target, useConnect } from './use-connect.ts'

interface ConnectDialogProps {
  target: Target
  onClose: () => void
  onConnected?: (instanceId: string) => void
}

/** Says who gets what before anybody is sent anywhere. */
export function ConnectDialog({ target, onClose, onConnected }: ConnectDialogProps) {
  const { organization } = useHere()
  const { server, instanceId } = target
  const { connecting, begin, giveUp } = useConnect(target, onConnected)
  const isNew = instanceId === undefined
  return (
    <Dialog
      open
      onClose={onClose}
      title={isNew ? `Connect ${server.name}` : `Reconnect ${server.name}`}
      description={`The connection is yours, in the organization ${organization.name}. Others use it only through agents that you share it with.`}
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
      <p className="text-sm">{wordsOf(server.auth_type, server.name)}</p>
      {takesKey && (
        <TextField
          label={`Your key for ${server.name}`}
          hint="You make it in your account there. It is tried at once, kept encrypted, and never shown again."
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
        <Button onClick={onCancel}>Cancel</Button>
        <Button
          type="submit"
          kind="primary"
          busy={isWorking}
          {...(isAway(server.auth_type) && { icon: ExternalLink })}
        >
          {isAway(server.auth_type) ? 'Continue' : 'Connect'}
        </Button>
      </div>
    </form>
  )
}

const isAway = (type: AuthType): boolean => type === 'oauth' || type === 'composio'

function wordsOf(type: AuthType, name: string): string {
  switch (type) {
    case 'oauth':
      return `A window opens, in which ${name} asks you to sign in and to let Parley use your account. Parley never sees your password, and keeps what it is given encrypted.`
    case 'composio':
      return `A window opens, in which Composio leads you to ${name} to sign in. Composio, a service between the two, keeps the access to your account.`
    case 'api_key':
      return `${name} knows you by a key. Whatever the key may do there, the tools may do.`
    default:
      return `${name} needs no account. What its tools are asked is sent to it.`
  }
}

const Away = ({ host, onGiveUp }: { host: string; onGiveUp: () => void }) => (
  <div className="flex flex-col gap-4">
    <p role="status" className="text-sm">
      Sign in at <strong className="wrap-anywhere">{host}</strong> in the window that has opened. This goes on
      by itself when you have said yes there.
    </p>
    <Buttons>
      <Button onClick={onGiveUp}>Start again</Button>
    </Buttons>
  </div>
)

const Connected = ({ name, onClose }: { name: string; onClose: () => void }) => (
  <div className="flex flex-col gap-4">
    <p role="status" className="text-sm">
      {name} is connected. Its tools can be used at once: in the playground, and by agents that you share it
      with.
    </p>
    <Buttons>
      <Button kind="primary" onClick={onClose}>
        Done
      </Button>
    </Buttons>
  </div>
)

const Buttons = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap justify-end gap-2">{children}</div>
)
