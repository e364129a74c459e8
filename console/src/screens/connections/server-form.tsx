import { queryOptions, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../api/client.ts'
import { type Body, useChange } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { editsOf, NEW_SERVER, type ServerEdits, serverOf, slugOf } from './server-edits.ts'

/** For the administrator: a new server of the catalogue, or one that is changed. */
export const ServerForm = ({ serverId, onClose }: { serverId?: string; onClose: () => void }) => (
  <Dialog
    open
    onClose={onClose}
    title={serverId === undefined ? 'Add a server' : 'Edit the server'}
    description="Everybody on this installation sees it in the catalogue."
  >
    {serverId === undefined ? (
      <Fields saved={NEW_SERVER} onClose={onClose} />
    ) : (
      <Known serverId={serverId} onClose={onClose} />
    )}
  </Dialog>
)

/** A change of nothing changes nothing, and answers what is there: no other operation tells an address. */
const readRecord = (server_id: string) =>
  queryOptions({
    queryKey: ['PUT /api/mcp/servers', { server_id }],
    queryFn: ({ signal }) => api.request('PUT /api/mcp/servers', { query: { server_id }, body: {}, signal }),
    gcTime: 0,
  })

function Known({ serverId, onClose }: { serverId: string; onClose: () => void }) {
  const record = useQuery(readRecord(serverId))
  return (
    <Loaded query={record}>
      {(server) => (
        <Fields
          saved={editsOf(server)}
          server={{ id: server.id, hasSecret: server.has_client_secret }}
          onClose={onClose}
        />
      )}
    </Loaded>
  )
}

interface FieldsProps {
  saved: ServerEdits
  server?: { id: string; hasSecret: boolean }
  onClose: () => void
}

const OUTDATED = [
  'GET /api/mcp/list_servers',
  'GET /api/mcp/server_with_tools',
  'GET /api/mcp/list_instances',
] as const

function Fields({ saved, server, onClose }: FieldsProps) {
  const notify = useNotify()
  const [edits, setEdits] = useState(saved)
  const edit = (part: Partial<ServerEdits>) => setEdits({ ...edits, ...part })
  const done = () => {
    notify('Saved')
    onClose()
  }
  const add = useChange('POST /api/mcp/servers', { outdates: OUTDATED, onDone: done })
  const change = useChange('PUT /api/mcp/servers', { outdates: OUTDATED, onDone: done })
  const saving = server ? change : add
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const body = serverOf(edits)
    if (server) change.mutate({ query: { server_id: server.id }, body: changesOf(saved, edits) })
    else add.mutate({ body })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label="Name"
        required
        maxLength={200}
        value={edits.name}
        onChange={({ target }) =>
          edit({
            name: target.value,
            ...(!server && edits.slug === slugOf(edits.name) && { slug: slugOf(target.value) }),
          })
        }
      />
      <TextField
        label="Short name"
        hint="Tools that several servers have are called by it, too"
        required
        pattern="[a-z0-9][a-z0-9_\-]*"
        title="Small letters, digits, - and _"
        maxLength={50}
        value={edits.slug}
        onChange={({ target }) => edit({ slug: target.value })}
      />
      <TextField
        label="Address"
        type="url"
        placeholder="https://mcp.example.com/mcp"
        required
        maxLength={2_000}
        value={edits.url}
        onChange={({ target }) => edit({ url: target.value })}
      />
      <TextAreaField
        label="What it is for"
        hint="People and the playground find it by these words"
        rows={2}
        maxLength={5_000}
        value={edits.description}
        onChange={({ target }) => edit({ description: target.value })}
      />
      <AuthFields edits={edits} edit={edit} hasSecret={server?.hasSecret ?? false} />
      {server && saved.url !== edits.url && (
        <p className="text-sm text-warning">
          At another host, everybody's connections to it become inactive: people have to connect again.
        </p>
      )}
      {saving.error && <Failure error={saving.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" busy={saving.isPending}>
          {server ? 'Save' : 'Add'}
        </Button>
      </div>
    </form>
  )
}

/** Only what differs: an auth config that is sent again forgets the client that was registered for it. */
function changesOf(saved: ServerEdits, edits: ServerEdits): Body<'PUT /api/mcp/servers'> {
  const [before, after] = [serverOf(saved), serverOf(edits)]
  const names = (Object.keys(after) as (keyof typeof after)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  return Object.fromEntries(names.map((name) => [name, after[name]]))
}

interface AuthFieldsProps {
  edits: ServerEdits
  edit: (part: Partial<ServerEdits>) => void
  hasSecret: boolean
}

function AuthFields({ edits, edit, hasSecret }: AuthFieldsProps) {
  const text = (name: keyof ServerEdits) => ({
    value: edits[name],
    maxLength: 2_000,
    onChange: ({ target }: { target: { value: string } }) => edit({ [name]: target.value }),
  })
  return (
    <>
      <SelectField
        label="How people connect"
        value={edits.type}
        onChange={({ target }) => edit({ type: target.value as ServerEdits['type'] })}
      >
        <option value="oauth">They sign in (OAuth)</option>
        <option value="api_key">With a key of their own</option>
        <option value="none">No account is needed</option>
        <option value="composio">Through Composio</option>
        <option value="">Not yet</option>
      </SelectField>
      {edits.type === 'api_key' && (
        <TextField label="Header for the key" required pattern="[A-Za-z0-9_\-]+" {...text('header')} />
      )}
      {edits.type === 'composio' && (
        <TextField
          label="Auth config at Composio"
          placeholder="ac_…"
          required
          pattern="[A-Za-z0-9_\-]+"
          {...text('auth_config_id')}
        />
      )}
      {edits.type === 'oauth' && (
        <details open={edits.client_id !== '' || hasSecret}>
          <summary className="w-fit text-sm text-accent">A client of your own at the provider</summary>
          <div className="flex flex-col gap-4 pt-3">
            <p className="text-sm text-muted">
              Only where the provider registers none by itself. Its redirect address is{' '}
              <code className="font-mono wrap-anywhere">{location.origin}/api/mcp/callback</code>.
            </p>
            <TextField label="Client id" {...text('client_id')} />
            <TextField
              label="Client secret"
              type="password"
              autoComplete="off"
              hint={hasSecret ? 'There is one. Leave this empty to keep it.' : 'Kept encrypted, never shown'}
              {...text('client_secret')}
            />
            <TextField label="Scopes" hint="With blanks between them" {...text('scopes')} />
            <TextField label="Authorization address" type="url" {...text('authorization_url')} />
            <TextField label="Token address" type="url" {...text('token_url')} />
          </div>
        </details>
      )}
    </>
  )
}
