import type { McpServerWithTools, McpTool } from '@parley/client/schemas'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Pencil, RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { read, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { Snippet } from '../../ui/copy.tsx'
import { Drawer } from '../../ui/dialog.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { ServerForm } from './server-form.tsx'

const t = translator('connections')

export function ServerDrawer({ serverId, onClose }: { serverId: string; onClose: () => void }) {
  const { organization } = useHere()
  const server = useQuery(
    read('GET /api/mcp/server_with_tools', { server_id: serverId, org_id: organization.id }),
  )
  return (
    <Drawer open onClose={onClose} title={server.data?.name ?? t('servers.title')}>
      <Loaded query={server}>{(loaded) => <Details server={loaded} onGone={onClose} />}</Loaded>
    </Drawer>
  )
}

function Details({ server, onGone }: { server: McpServerWithTools; onGone: () => void }) {
  const { user, may } = useHere()
  const { id, description, auth_type, is_connected } = server
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-center gap-2 text-sm text-muted">
        {is_connected && <Badge tone="success">{t('servers.connected')}</Badge>}
        {auth_type ? t(`auth.${auth_type}`) : t(user.is_system_admin ? 'auth.notSetUp' : 'auth.notSetUpHint')}
      </div>
      <p className="text-sm wrap-anywhere whitespace-pre-wrap">{description}</p>
      <div className="flex flex-wrap gap-2">
        {may('mcp:write') && auth_type !== null && !is_connected && (
          <Link
            from="/connections"
            to="."
            search={(search) => ({ ...search, connect: id, server_id: undefined })}
            className={buttonLook('primary', 'small')}
          >
            {t('servers.connect')}
          </Link>
        )}
        {user.is_system_admin && <Administration server={server} onGone={onGone} />}
      </div>
      <Tools server={server} />
    </div>
  )
}

function Tools({ server }: { server: McpServerWithTools }) {
  const { tools, error, tools_changed_at, tools_read_at, is_connected, auth_type } = server
  const refresh = useRefresh(server.id)
  return (
    <section aria-labelledby="tools" className="flex flex-col gap-3">
      <header className="flex items-center justify-between gap-2">
        <h3 id="tools" className="font-semibold">
          {tools.length > 0 ? t('servers.toolsCount', { count: tools.length }) : t('servers.tools')}
        </h3>
        {(is_connected || auth_type === 'none') && (
          <Button size="small" icon={RefreshCw} busy={refresh.isBusy} onClick={refresh.run}>
            {t('servers.refresh')}
          </Button>
        )}
      </header>
      {tools_read_at && (
        <p className="text-sm text-muted">
          {tools_changed_at
            ? t.rich('servers.refreshedAndChanged', {
                ago: () => <Ago time={tools_read_at} />,
                change: () => <Ago time={tools_changed_at} />,
              })
            : t.rich('servers.refreshed', { ago: () => <Ago time={tools_read_at} /> })}
        </p>
      )}
      {error && (
        <p role="status" className="text-sm wrap-anywhere text-warning">
          {error}
        </p>
      )}
      {tools.length === 0 && !error && (
        <p className="text-sm text-muted">{is_connected ? t('servers.noTools') : t('servers.toolsHidden')}</p>
      )}
      {tools.map((tool) => (
        <ToolLine key={tool.name} tool={tool} />
      ))}
    </section>
  )
}

/** Returns a mutation that reads the tools from the MCP server again. */
function useRefresh(serverId: string) {
  const { organization } = useHere()
  const client = useQueryClient()
  const notify = useNotify()
  const [isBusy, setBusy] = useState(false)
  const query = { server_id: serverId, org_id: organization.id }
  const run = async () => {
    setBusy(true)
    try {
      const fresh = await api.request('GET /api/mcp/server_with_tools', {
        query: { ...query, refresh: true },
      })
      client.setQueryData(read('GET /api/mcp/server_with_tools', query).queryKey, fresh)
    } catch (error) {
      notify(error as Error)
    }
    setBusy(false)
  }
  return { isBusy, run: () => void run() }
}

const ToolLine = ({ tool: { name, description, input_schema, left_out } }: { tool: McpTool }) => (
  <details className="rounded-xl border border-line">
    <summary className="rounded-xl px-3 py-2 text-sm">
      <code className="font-mono wrap-anywhere">{name}</code>
      {left_out !== null && (
        <span className="ml-2">
          <Badge tone="warning">{t('servers.leftOut')}</Badge>
        </span>
      )}
    </summary>
    <div className="flex flex-col gap-2 px-3 pb-3">
      {left_out !== null && <p className="text-sm wrap-anywhere text-warning">{left_out}</p>}
      <p className="text-sm wrap-anywhere whitespace-pre-wrap text-muted">
        {description || t('servers.noDescription')}
      </p>
      <Snippet label={t('servers.toolInput', { name })} code={JSON.stringify(input_schema, null, 2)} />
    </div>
  </details>
)

/** Actions for system administrators. */
function Administration({ server, onGone }: { server: McpServerWithTools; onGone: () => void }) {
  const confirm = useConfirm()
  const notify = useNotify()
  const [isEditing, setEditing] = useState(false)
  const remove = useChange('DELETE /api/mcp/servers', {
    outdates: ['GET /api/mcp/list_servers'],
    onDone() {
      notify(t('servers.removed', { name: server.name }))
      onGone()
    },
  })
  const ask = async () => {
    const isSure = await confirm({
      title: t('servers.removeTitle', { name: server.name }),
      consequence: t('servers.removeConsequence'),
      action: t('servers.remove'),
    })
    if (isSure) remove.mutate({ query: { server_id: server.id } }, { onError: notify })
  }
  return (
    <>
      <Button size="small" icon={Pencil} onClick={() => setEditing(true)}>
        {t('server.edit')}
      </Button>
      <Button size="small" icon={Trash2} busy={remove.isPending} onClick={() => void ask()}>
        {t('servers.remove')}
      </Button>
      {isEditing && <ServerForm serverId={server.id} onClose={() => setEditing(false)} />}
    </>
  )
}
