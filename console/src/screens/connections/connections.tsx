import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Catalogue } from './catalogue.tsx'
import { ConnectDialog } from './connect-dialog.tsx'
import { OwnConnections } from './own-connections.tsx'
import { ParleyServer } from './parley-server.tsx'
import { ServerDrawer } from './server-drawer.tsx'

const t = translator('connections')

export function Connections() {
  const { organization, may } = useHere()
  const { tab = 'own', connect, server_id } = useSearch({ from: '/app/connections' })
  const navigate = useNavigate()
  const servers = useQuery(read('GET /api/mcp/list_servers', { org_id: organization.id }))
  const serverToConnect = servers.data?.servers.find(({ id }) => id === connect)
  const close = (name: 'connect' | 'server_id') =>
    void navigate({
      from: '/connections',
      to: '.',
      search: (search) => ({ ...search, [name]: undefined }),
      replace: true,
    })
  return (
    <Page title={t('title')} description={t('titleHint')}>
      <Tabs
        label={t('title')}
        tabs={[
          ['own', t('tabs.own')],
          ['catalogue', t('tabs.catalogue')],
          ['parley', t('tabs.parley')],
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
      {serverToConnect && may('mcp:write') && (
        <ConnectDialog
          key={serverToConnect.id}
          target={{ server: serverToConnect }}
          onClose={() => close('connect')}
        />
      )}
    </Page>
  )
}
