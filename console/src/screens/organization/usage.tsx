import { useNavigate, useSearch } from '@tanstack/react-router'
import { translator } from '../../messages/index.ts'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Budgets } from './budgets.tsx'
import { CreditsLine } from './credits-line.tsx'
import { Ledger } from './ledger.tsx'
import { OwnBudget } from './own-budget.tsx'
import type { ShowUsage } from './search-params.ts'
import { UsageOverview } from './usage-overview.tsx'

const t = translator('billing')

export function UsageScreen() {
  const { tab = 'overview' } = useSearch({ from: '/app/usage' })
  const navigate = useNavigate({ from: '/usage' })
  const show: ShowUsage = (change) =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true })
  return (
    <Page title={t('title')} description={t('description')}>
      <OwnBudget />
      <CreditsLine />
      <Tabs
        label={t('views')}
        tabs={[
          ['overview', t('tab.overview')],
          ['ledger', t('tab.ledger')],
          ['budgets', t('tab.budgets')],
        ]}
        value={tab}
        onChange={(name) => show({ tab: name === 'overview' ? undefined : name })}
      />
      {tab === 'overview' && <UsageOverview show={show} />}
      {tab === 'ledger' && <Ledger show={show} />}
      {tab === 'budgets' && <Budgets />}
    </Page>
  )
}
