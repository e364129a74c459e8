import { queryOptions, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../api/client.ts'
import { type Body, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { editsOf, NEW_SERVER, type ServerEdits, serverOf, slugOf } from './server-edits.ts'

const t = translator('connections')

/** A dialog in which system administrators add or edit an MCP server. */
export const ServerForm = ({ serverId, onClose }: { serverId?: string; onClose: () => void }) => (
  <Dialog
    open
    onClose={onClose}
    title={serverId === undefined ? t('server.add') : t('server.edit')}
    description={t('server.formHint')}
  >
    {serverId === undefined ? (
      <Fields saved={NEW_SERVER} onClose={onClose} />
    ) : (
      <Known serverId={serverId} onClose={onClose} />
    )}
  </Dialog>
)

/**
 * Reads a server's record by sending an update without changes, because no other operation returns the server's URL.
 */
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
    notify(t('server.saved'))
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
        label={t('server.name')}
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
        label={t('server.slug')}
        hint={t('server.slugHint')}
        required
        pattern="[a-z0-9][a-z0-9_\-]*"
        title={t('server.slugFormat')}
        maxLength={50}
        value={edits.slug}
        onChange={({ target }) => edit({ slug: target.value })}
      />
      <TextField
        label={t('server.url')}
        type="url"
        placeholder="https://mcp.example.com/mcp"
        required
        maxLength={2_000}
        value={edits.url}
        onChange={({ target }) => edit({ url: target.value })}
      />
      <TextAreaField
        label={t('server.description')}
        hint={t('server.descriptionHint')}
        rows={2}
        maxLength={5_000}
        value={edits.description}
        onChange={({ target }) => edit({ description: target.value })}
      />
      <AuthFields edits={edits} edit={edit} hasSecret={server?.hasSecret ?? false} />
      {server && saved.url !== edits.url && <p className="text-sm text-warning">{t('server.hostWarning')}</p>}
      {saving.error && <Failure error={saving.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{t('cancel')}</Button>
        <Button type="submit" kind="primary" busy={saving.isPending}>
          {server ? t('server.save') : t('server.add')}
        </Button>
      </div>
    </form>
  )
}

/**
 * Returns only the changed fields. If the auth config were sent unchanged, the server would discard the OAuth client
 * that it has registered.
 */
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
        label={t('server.auth')}
        value={edits.type}
        onChange={({ target }) => edit({ type: target.value as ServerEdits['type'] })}
      >
        <option value="oauth">{t('server.authType.oauth')}</option>
        <option value="api_key">{t('server.authType.api_key')}</option>
        <option value="none">{t('server.authType.none')}</option>
        <option value="composio">{t('server.authType.composio')}</option>
        <option value="">{t('server.authType.notSetUp')}</option>
      </SelectField>
      {edits.type === 'api_key' && (
        <TextField label={t('server.apiKeyHeader')} required pattern="[A-Za-z0-9_\-]+" {...text('header')} />
      )}
      {edits.type === 'composio' && (
        <TextField
          label={t('server.composioConfig')}
          placeholder="ac_…"
          required
          pattern="[A-Za-z0-9_\-]+"
          {...text('auth_config_id')}
        />
      )}
      {edits.type === 'oauth' && (
        <details open={edits.client_id !== '' || hasSecret}>
          <summary className="w-fit text-sm text-accent">{t('server.customClient')}</summary>
          <div className="flex flex-col gap-4 pt-3">
            <p className="text-sm text-muted">
              {t.rich('server.customClientHint', {
                url: (text) => <code className="font-mono wrap-anywhere">{text}</code>,
                address: `${location.origin}/api/mcp/callback`,
              })}
            </p>
            <TextField label={t('server.clientId')} {...text('client_id')} />
            <TextField
              label={t('server.clientSecret')}
              type="password"
              autoComplete="off"
              hint={hasSecret ? t('server.clientSecretKept') : t('server.clientSecretHint')}
              {...text('client_secret')}
            />
            <TextField label={t('server.scopes')} hint={t('server.scopesHint')} {...text('scopes')} />
            <TextField label={t('server.authorizationUrl')} type="url" {...text('authorization_url')} />
            <TextField label={t('server.tokenUrl')} type="url" {...text('token_url')} />
          </div>
        </details>
      )}
    </>
  )
}
