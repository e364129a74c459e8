import type { ModelConnection } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Ellipsis, KeyRound, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useAllPages } from '../../api/all-pages.ts'
import { readPages, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Logo } from '../../ui/avatar.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { useNotify } from '../../ui/toast.tsx'
import ConnectDialog from '../providers/connect-dialog.tsx'
import { logoOfServer } from '../providers/known-servers.ts'
import { useConnections } from '../providers/use-connect.ts'
import { providerName } from './model-draft.ts'

const t = translator('models')

/** The organization's connections to providers. Not shown while there are none. */
export function ModelConnections() {
  const { organization } = useHere()
  const models = useInfiniteQuery(readPages('GET /api/llm/list', { org_id: organization.id, limit: 100 }))
  useAllPages(models, true)
  const connections = useConnections().data?.data ?? []
  if (connections.length === 0) return null
  const countOf = (id: string) =>
    (models.data ?? []).filter(({ config }) => config.connection_id === id).length
  return (
    <section className="flex flex-col gap-3">
      <div>
        <h2 className="font-semibold">{t('connections.title')}</h2>
        <p className="text-sm text-muted">{t('connections.description')}</p>
      </div>
      <ul
        aria-label={t('connections.title')}
        className="divide-y divide-line rounded-2xl border border-line bg-raised"
      >
        {connections.map((connection) => (
          <Item key={connection.id} connection={connection} count={countOf(connection.id)} />
        ))}
      </ul>
    </section>
  )
}

function Item({ connection, count }: { connection: ModelConnection; count: number }) {
  const notify = useNotify()
  const confirm = useConfirm()
  const [open, setOpen] = useState<'models' | 'key' | null>(null)
  const close = () => setOpen(null)
  const { id, name, provider, base_url } = connection
  const removal = useChange('DELETE /api/llm/connections/delete', {
    outdates: ['GET /api/llm/connections/list'],
    onDone: () => notify(t('connections.deleted', { name })),
  })
  const remove = async () => {
    const isSure = await confirm({
      title: t('connections.deleteTitle', { name }),
      consequence: t('connections.deleteConsequence'),
      action: t('connections.delete'),
    })
    if (isSure) removal.mutate({ query: { connection_id: id } }, { onError: notify })
  }
  return (
    <li aria-label={name} className="flex flex-wrap items-center gap-3 px-4 py-3">
      <Logo name={logoOfServer(base_url) ?? provider} />
      <div className="flex min-w-0 grow flex-col">
        <span className="font-medium break-words">{name}</span>
        <span className="text-sm break-all text-muted">
          {[base_url ?? providerName(provider), t('connections.models', { count })].join(' · ')}
        </span>
      </div>
      <Button size="small" icon={Plus} onClick={() => setOpen('models')}>
        {t('connections.addModels')}
      </Button>
      <Menu trigger={<IconButton small icon={Ellipsis} label={t('connections.actions', { name })} />}>
        <MenuItem icon={KeyRound} onSelect={() => setOpen('key')}>
          {t('connections.replaceKey')}
        </MenuItem>
        <MenuItem danger icon={Trash2} onSelect={() => void remove()}>
          {t('connections.delete')}
        </MenuItem>
      </Menu>
      {open === 'models' && (
        <ConnectDialog
          provider={provider}
          connection={connection}
          action={t('connect.add')}
          onAdded={(added) => {
            notify(t('connect.added', { count: added.length }))
            close()
          }}
          onClose={close}
        />
      )}
      {open === 'key' && <ReplaceKey connection={connection} onClose={close} />}
    </li>
  )
}

function ReplaceKey({
  connection: { id, name },
  onClose,
}: {
  connection: ModelConnection
  onClose: () => void
}) {
  const notify = useNotify()
  const [apiKey, setApiKey] = useState('')
  const change = useChange('PUT /api/llm/connections/update', {
    outdates: ['GET /api/llm/connections/list', 'GET /api/llm/connections/list_models'],
    onDone: () => {
      notify(t('connections.replaced', { name }))
      onClose()
    },
  })
  return (
    <FormDialog
      open
      onClose={onClose}
      title={t('connections.replaceTitle', { name })}
      description={t('connections.replaceHint')}
      action={t('connections.replaceKey')}
      busy={change.isPending}
      error={change.error}
      onSubmit={() => change.mutate({ query: { connection_id: id }, body: { api_key: apiKey.trim() } })}
    >
      <TextField
        label={t('form.key')}
        hint={t('form.keyStored')}
        type="password"
        autoComplete="off"
        required
        maxLength={2000}
        value={apiKey}
        onChange={({ target }) => setApiKey(target.value)}
      />
    </FormDialog>
  )
}
