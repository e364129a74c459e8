import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Catalogue } from './catalogue.tsx'
import { ConnectDialog } from './connect-dialog.tsx'
import { OwnConnections } from './own-connections.tsx'
import { ParleyServer } from './parley-server.tsx'
import { ServerDrawer } from './server-drawer.tsx'

/** Accounts at MCP servers, and the servers that one can connect to. */
export function Connections() {
  const { organization, may } = useHere()
  const { tab = 'own', connect, server_id } = useSearch({ from: '/app/connections' })
  const navigate = useNavigate()
  const servers = useQuery(read('GET /api/mcp/list_servers', { org_id: organization.id }))
  const sought = servers.data?.servers.find(({ id }) => id === connect)
  const close = (name: 'connect' | 'server_id') =>
    void navigate({
      from: '/connections',
      to: '.',
      search: (search) => ({ ...search, [name]: undefined }),
      replace: true,
    })
  return (
    <Page
      title="Connections"
      description="Connect your accounts at other services once. Agents you share them with, the playground and your own MCP clients can then use their tools."
    >
      <Tabs
        label="Connections"
        tabs={[
          ['own', 'Yours'],
          ['catalogue', 'Catalogue'],
          ['parley', 'Parley as a server'],
        ]}
        value={tab}
        onChange={(name) =>
          void navigate({
            to: '/connections',
            search: { org_id: organization.id, ...(name !== 'own' && { tab: name }) },
          })
        }
      />
      {tab === 'own' && <OwnConnections />}
      {tab === 'catalogue' && <Catalogue servers={servers} />}
      {tab === 'parley' && <ParleyServer />}
      {server_id !== undefined && <ServerDrawer serverId={server_id} onClose={() => close('server_id')} />}
      {sought && may('mcp:write') && (
        <ConnectDialog key={sought.id} target={{ server: sought }} onClose={() => close('connect')} />
      )}
    </Page>
  )
}
