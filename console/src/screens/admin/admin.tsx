import { useNavigate, useSearch } from '@tanstack/react-router'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { NotAllowed } from '../organization/not-allowed.tsx'
import { OrganizationDialog } from './organization-dialog.tsx'
import { Organizations } from './organizations.tsx'
import { People } from './people.tsx'
import type { ShowAdmin } from './search-params.ts'
import { Status } from './status.tsx'

const t = translator('admin')

/** The installation's organizations, people and services, for system administrators. */
export function Admin() {
  const { user } = useHere()
  return (
    <Page wide title={t('title')} description={t('description')}>
      {user.is_system_admin ? <Views /> : <NotAllowed />}
    </Page>
  )
}

function Views() {
  const { tab = 'organizations', q = '', organization } = useSearch({ from: '/app/admin' })
  const navigate = useNavigate({ from: '/admin' })
  const show: ShowAdmin = (change) =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true })
  return (
    <>
      <Tabs
        label={t('views')}
        tabs={[
          ['organizations', t('tab.organizations')],
          ['people', t('tab.people')],
          ['status', t('tab.status')],
        ]}
        value={tab}
        onChange={(name) => show({ tab: name === 'organizations' ? undefined : name, q: undefined })}
      />
      {tab === 'organizations' && <Organizations q={q} show={show} />}
      {tab === 'people' && <People q={q} show={show} />}
      {tab === 'status' && <Status />}
      {organization && (
        <OrganizationDialog
          key={organization}
          id={organization}
          onClose={() => show({ organization: undefined })}
        />
      )}
    </>
  )
}
