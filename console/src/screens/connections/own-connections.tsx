import type { McpInstance, McpServer } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Ellipsis, Link2, ListTree, Plug, RefreshCw, Settings2, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { read, useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, buttonLook, IconButton } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { ConnectDialog } from './connect-dialog.tsx'
import { nameOf, STATES } from './connection-words.ts'
import { GatewayDialog } from './gateway-dialog.tsx'
import { Mark } from './mark.tsx'
import { SharingDialog } from './sharing-dialog.tsx'

type Doing = { what: 'reconnect' | 'share' | 'address'; instance: McpInstance }

/** One's own connections in this organization. */
export function OwnConnections() {
  const { organization } = useHere()
  const instances = useQuery(read('GET /api/mcp/list_instances', { org_id: organization.id }))
  const [doing, setDoing] = useState<Doing>()
  return (
    <>
      <Loaded query={instances}>
        {(all) =>
          all.length === 0 ? (
            <None />
          ) : (
            <ul aria-label="Your connections" className="flex flex-col gap-3">
              {all.map((instance) => (
                <InstanceRow
                  key={instance.id}
                  instance={instance}
                  onDo={(what) => setDoing({ what, instance })}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {doing && <Done doing={doing} onClose={() => setDoing(undefined)} />}
    </>
  )
}

const None = () => (
  <Empty
    icon={Plug}
    title="Nothing is connected yet"
    action={
      <Link
        from="/connections"
        to="."
        search={(search) => ({ ...search, tab: 'catalogue' })}
        className={buttonLook('primary')}
      >
        Browse the catalogue
      </Link>
    }
  >
    Connect an account at a service such as Linear or Notion, and models can search and change things there
    for you.
  </Empty>
)

function Done({ doing: { what, instance }, onClose }: { doing: Doing; onClose: () => void }) {
  const server = useServer(instance.mcp_server_id)
  if (what === 'share') return <SharingDialog instance={instance} onClose={onClose} />
  if (what === 'address') return <GatewayDialog instance={instance} onClose={onClose} />
  return server && <ConnectDialog target={{ server, instanceId: instance.id }} onClose={onClose} />
}

function useServer(id: string): McpServer | undefined {
  const { organization } = useHere()
  const servers = useQuery(read('GET /api/mcp/list_servers', { org_id: organization.id }))
  return servers.data?.servers.find((server) => server.id === id)
}

interface RowProps {
  instance: McpInstance
  onDo: (what: Doing['what']) => void
}

function InstanceRow({ instance, onDo }: RowProps) {
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
            title="Its tools"
            className="wrap-anywhere hover:text-accent hover:underline"
          >
            {name}
          </Link>
          <Badge tone={STATES[status].tone}>{STATES[status].word}</Badge>
        </h2>
        <p className="text-sm text-muted">
          {name !== server_name && `${server_name} · `}
          {shared.length > 0 && `Shared with ${shared.length} ${shared.length === 1 ? 'agent' : 'agents'} · `}
          Added <Ago time={created_at} />
        </p>
        {isBroken && (
          <p className="text-sm wrap-anywhere text-warning">
            {error ??
              (status === 'pending' ? 'You have not finished to sign in there.' : 'It no longer works.')}
          </p>
        )}
      </div>
      <div className="flex items-center gap-1">
        {isBroken && may('mcp:write') && (
          <Button size="small" icon={RefreshCw} onClick={() => onDo('reconnect')}>
            Reconnect
          </Button>
        )}
        <InstanceMenu instance={instance} onDo={onDo} />
      </div>
    </li>
  )
}

function InstanceMenu({ instance, onDo }: RowProps) {
  const { may } = useHere()
  const navigate = useNavigate()
  const remove = useRemove(instance)
  const isActive = instance.status === 'active'
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label={`Actions for ${nameOf(instance)}`} />}>
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
        Tools
      </MenuItem>
      {may('mcp:write') && (
        <MenuItem icon={Settings2} onSelect={() => onDo('share')}>
          Name and sharing
        </MenuItem>
      )}
      {isActive && may('mcp:write') && (
        <MenuItem icon={Link2} onSelect={() => onDo('address')}>
          Use in another MCP client
        </MenuItem>
      )}
      {isActive && may('mcp:write') && (
        <MenuItem icon={RefreshCw} onSelect={() => onDo('reconnect')}>
          Connect anew
        </MenuItem>
      )}
      {may('mcp:write') && (
        <>
          <MenuLine />
          <MenuItem icon={Trash2} danger onSelect={() => void remove()}>
            Disconnect
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
    // It says where the provider could not be told.
    onDone: ({ message }) => notify(message),
  })
  return async () => {
    const count = instance.shared_agent_ids.length
    const name = nameOf(instance)
    const isSure = await confirm({
      title: `Disconnect ${name}?`,
      consequence: `Parley's access to your account ends, here and at ${instance.server_name}.${
        count > 0 ? ` ${count} ${count === 1 ? 'agent loses' : 'agents lose'} its tools.` : ''
      } You can connect it again at any time.`,
      action: 'Disconnect',
    })
    if (isSure) remove.mutate({ query: { mcp_instance_id: instance.id } }, { onError: notify })
  }
}
