import type { McpInstance, McpServer } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Ellipsis, Link2, ListTree, Plug, RefreshCw, Settings2, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { read, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, buttonLook, IconButton } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { ConnectDialog } from './connect-dialog.tsx'
import { nameOf, TONES } from './connection-words.ts'
import { GatewayDialog } from './gateway-dialog.tsx'
import { Mark } from './mark.tsx'
import { SharingDialog } from './sharing-dialog.tsx'

const t = translator('connections')

type OpenDialog = { name: 'reconnect' | 'share' | 'address'; instance: McpInstance }

export function OwnConnections() {
  const { organization } = useHere()
  const instances = useQuery(read('GET /api/mcp/list_instances', { org_id: organization.id }))
  const [dialog, setDialog] = useState<OpenDialog>()
  return (
    <>
      <Loaded query={instances}>
        {(all) =>
          all.length === 0 ? (
            <None />
          ) : (
            <ul aria-label={t('own.label')} className="flex flex-col gap-3">
              {all.map((instance) => (
                <InstanceRow
                  key={instance.id}
                  instance={instance}
                  onOpen={(name) => setDialog({ name, instance })}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {dialog && <ActionDialog dialog={dialog} onClose={() => setDialog(undefined)} />}
    </>
  )
}

const None = () => (
  <Empty
    icon={Plug}
    title={t('own.emptyTitle')}
    action={
      <Link
        from="/connections"
        to="."
        search={(search) => ({ ...search, tab: 'catalogue' })}
        className={buttonLook('primary')}
      >
        {t('own.browse')}
      </Link>
    }
  >
    {t('own.empty')}
  </Empty>
)

interface ActionDialogProps {
  dialog: OpenDialog
  onClose: () => void
}

function ActionDialog({ dialog: { name, instance }, onClose }: ActionDialogProps) {
  const server = useServer(instance.mcp_server_id)
  if (name === 'share') return <SharingDialog instance={instance} onClose={onClose} />
  if (name === 'address') return <GatewayDialog instance={instance} onClose={onClose} />
  return server && <ConnectDialog target={{ server, instanceId: instance.id }} onClose={onClose} />
}

function useServer(id: string): McpServer | undefined {
  const { organization } = useHere()
  const servers = useQuery(read('GET /api/mcp/list_servers', { org_id: organization.id }))
  return servers.data?.servers.find((server) => server.id === id)
}

interface RowProps {
  instance: McpInstance
  onOpen: (dialog: OpenDialog['name']) => void
}

function InstanceRow({ instance, onOpen }: RowProps) {
  const { may } = useHere()
  const { status, error, server_name, mcp_server_id, created_at, shared_agent_ids: shared } = instance
  const name = nameOf(instance)
  const isBroken = status !== 'active'
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-2xl border border-line bg-raised p-4">
      <Mark name={server_name} />
      <div className="flex min-w-0 grow basis-40 flex-col">
        <h2 className="flex flex-wrap items-center gap-2 font-medium">
          <Link
            from="/connections"
            to="."
            search={(search) => ({ ...search, server_id: mcp_server_id })}
            title={t('own.tools')}
            className="reach wrap-anywhere hover:text-accent hover:underline"
          >
            {name}
          </Link>
          <Badge tone={TONES[status]}>{t(`own.status.${status}`)}</Badge>
        </h2>
        <p className="text-sm text-muted">
          {name !== server_name && `${server_name} · `}
          {shared.length > 0 && `${t('own.shared', { count: shared.length })} · `}
          {t.rich('own.added', { ago: () => <Ago time={created_at} /> })}
        </p>
        {isBroken && (
          <p className="text-sm wrap-anywhere text-warning">
            {error ?? (status === 'pending' ? t('own.pending') : t('own.inactive'))}
          </p>
        )}
      </div>
      <div className="flex items-center gap-1">
        {isBroken && may('mcp:write') && (
          <Button size="small" icon={RefreshCw} onClick={() => onOpen('reconnect')}>
            {t('own.reconnect')}
          </Button>
        )}
        <InstanceMenu instance={instance} onOpen={onOpen} />
      </div>
    </li>
  )
}

function InstanceMenu({ instance, onOpen }: RowProps) {
  const { may } = useHere()
  const navigate = useNavigate()
  const remove = useRemove(instance)
  const isActive = instance.status === 'active'
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label={t('own.actionsFor', { name: nameOf(instance) })} />}>
      <MenuItem
        icon={ListTree}
        onSelect={() =>
          void navigate({
            from: '/connections',
            to: '.',
            search: (search) => ({ ...search, server_id: instance.mcp_server_id }),
          })
        }
      >
        {t('own.tools')}
      </MenuItem>
      {may('mcp:write') && (
        <MenuItem icon={Settings2} onSelect={() => onOpen('share')}>
          {t('own.sharing')}
        </MenuItem>
      )}
      {isActive && may('mcp:write') && (
        <MenuItem icon={Link2} onSelect={() => onOpen('address')}>
          {t('client.title')}
        </MenuItem>
      )}
      {isActive && may('mcp:write') && (
        <MenuItem icon={RefreshCw} onSelect={() => onOpen('reconnect')}>
          {t('own.reconnect')}
        </MenuItem>
      )}
      {may('mcp:write') && (
        <>
          <MenuLine />
          <MenuItem icon={Trash2} danger onSelect={() => void remove()}>
            {t('own.disconnect')}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}

function useRemove(instance: McpInstance): () => Promise<void> {
  const confirm = useConfirm()
  const notify = useNotify()
  const remove = useChange('DELETE /api/mcp/instance', {
    outdates: [
      'GET /api/mcp/list_instances',
      'GET /api/mcp/list_servers',
      'GET /api/mcp/server_with_tools',
      'GET /api/agents/get',
    ],
    onDone: ({ code, values }) => {
      const name = nameOf(instance)
      const reason = String(values?.['reason'])
      notify(code === undefined ? t('own.disconnected', { name }) : t('own.notRevoked', { name, reason }))
    },
  })
  return async () => {
    const isSure = await confirm({
      title: t('own.disconnectTitle', { name: nameOf(instance) }),
      consequence: t('own.disconnectConsequence', {
        count: instance.shared_agent_ids.length,
        server: instance.server_name,
      }),
      action: t('own.disconnect'),
    })
    if (isSure) remove.mutate({ query: { mcp_instance_id: instance.id } }, { onError: notify })
  }
}
