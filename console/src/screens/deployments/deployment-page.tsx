import type { Deployment, DeploymentConfigChange } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { knownName } from '../../api/known-name.ts'
import { read, useChange } from '../../api/queries.ts'
import { replacing } from '../../api/replacing.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Back } from '../../ui/back.tsx'
import { useEdits } from '../../ui/edits.ts'
import { Page } from '../../ui/page.tsx'
import { PendingPage } from '../../ui/pending-page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { useLeaveGuard } from '../../ui/unsaved.tsx'
import { AgentName } from './agents.tsx'
import { configOf, lookOf } from './config-edits.ts'
import { DeploymentActions } from './deployment-actions.tsx'
import { ICONS } from './deployment-words.ts'
import { Install } from './install.tsx'
import { KeyTab } from './key-tab.tsx'
import { LookForm } from './look-form.tsx'
import { Overview } from './overview.tsx'

const t = translator('deployments')

export function DeploymentPage() {
  const { deploymentId } = useParams({ from: '/app/deployments/$deploymentId' })
  const deployment = useQuery(read('GET /api/agent_deploy/get', { deployment_id: deploymentId }))
  return deployment.data ? (
    <OpenDeployment key={deployment.data.id} deployment={deployment.data} />
  ) : (
    <PendingPage
      query={deployment}
      name={knownName('GET /api/agent_deploy/list', deploymentId)}
      kind={t('page.tabs')}
      above={<ToDeployments />}
      wide
    />
  )
}

const ToDeployments = () => <Back to="/deployments">{t('title')}</Back>

function OpenDeployment({ deployment }: { deployment: Deployment }) {
  const { may } = useHere()
  const { tab = 'overview' } = useSearch({ from: '/app/deployments/$deploymentId' })
  const navigate = useNavigate()
  const notify = useNotify()
  const edits = useEdits(lookOf(deployment.config))
  useLeaveGuard(edits.isChanged)
  const save = useChange('PUT /api/agent_deploy/update', {
    outdates: ['GET /api/agent_deploy/get', 'GET /api/agent_deploy/list'],
    onDone: () => notify(t('page.saved')),
  })
  const saveLook = async () => {
    const sent = edits.changes
    const config = replacing<DeploymentConfigChange>(
      deployment.config,
      configOf(edits.value, deployment.deployment_type),
    )
    await save.mutateAsync({ query: { deployment_id: deployment.id }, body: { config } })
    edits.settle(sent)
  }
  const type = deployment.deployment_type
  const TypeIcon = ICONS[type]
  return (
    <Page
      wide
      title={deployment.name}
      above={<ToDeployments />}
      description={deployment.description || undefined}
      actions={<DeploymentActions deployment={deployment} />}
    >
      <p className="-mt-4 flex flex-wrap items-center gap-x-2 text-sm text-muted">
        <TypeIcon aria-hidden size={15} /> {t(`types.${type}`)} <span aria-hidden>·</span>
        <Link
          to="/agents/$agentId"
          params={{ agentId: deployment.agent_id }}
          className="reach text-accent hover:underline"
        >
          <AgentName id={deployment.agent_id} />
        </Link>
      </p>
      <Tabs
        label={t('page.tabs')}
        tabs={[
          ['overview', t('page.overview')],
          ['look', t(type === 'api' ? 'page.limits' : 'page.appearance')],
          ['install', t('page.install')],
          ['key', t('page.key')],
        ]}
        value={tab}
        onChange={(name) =>
          void navigate({
            from: '/deployments/$deploymentId',
            to: '.',
            search: (search) => ({ ...search, tab: name }),
          })
        }
      />
      {tab === 'overview' && <Overview deployment={deployment} />}
      {tab === 'look' && (
        <LookForm
          deployment={deployment}
          edits={edits}
          save={{ run: () => void saveLook().catch(() => {}), isPending: save.isPending, error: save.error }}
          readOnly={!may('agent:write')}
        />
      )}
      {tab === 'install' && <Install deployment={deployment} />}
      {tab === 'key' && <KeyTab deployment={deployment} />}
    </Page>
  )
}
