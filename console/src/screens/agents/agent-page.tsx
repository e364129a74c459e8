import type { Agent } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Bot, Ellipsis, Rocket, Trash2 } from 'lucide-react'
import { knownName } from '../../api/known-name.ts'
import { read, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Back } from '../../ui/back.tsx'
import { Badge } from '../../ui/badge.tsx'
import { buttonLook, IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { useConfirm } from '../../ui/confirm.tsx'
import { useEdits } from '../../ui/edits.ts'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Page } from '../../ui/page.tsx'
import { PendingPage } from '../../ui/pending-page.tsx'
import { Empty, Failure } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { useLeaveGuard } from '../../ui/unsaved.tsx'
import { AgentForm } from './agent-form.tsx'
import { TryAgent } from './try-agent.tsx'

const t = translator('agents')

/** The form for an agent's settings, next to a test chat. */
export function AgentPage() {
  const { agentId } = useParams({ from: '/app/agents/$agentId' })
  const { organization } = useHere()
  const agent = useQuery(read('GET /api/agents/get', { agent_id: agentId }))
  if (agent.data === undefined)
    return (
      <PendingPage
        query={agent}
        name={knownName('GET /api/agents/list', agentId)}
        kind={t('agent')}
        above={<ToAgents />}
        wide
      />
    )
  return agent.data.organization_id === organization.id ? (
    <OwnAgent key={agentId} agent={agent.data} />
  ) : (
    <ForeignAgent agent={agent.data} />
  )
}

const ToAgents = () => <Back to="/agents">{t('title')}</Back>

function OwnAgent({ agent }: { agent: Agent }) {
  const { may } = useHere()
  const { tab = 'edit' } = useSearch({ from: '/app/agents/$agentId' })
  const navigate = useNavigate()
  const edits = useEdits(agent)
  const remove = useRemoval(agent)
  useLeaveGuard(edits.isChanged)
  return (
    <Page
      title={agent.name}
      above={<ToAgents />}
      wide
      actions={
        <>
          {!agent.is_active && <Badge>{t('inactive')}</Badge>}
          {agent.is_public && <Badge tone="accent">{t('public')}</Badge>}
          <Link to="/deployments" search={{ agent_id: agent.id }} className={buttonLook()}>
            <Rocket aria-hidden size={16} /> {t('page.deploy')}
          </Link>
          {may('agent:delete') && (
            <Menu trigger={<IconButton icon={Ellipsis} label={t('page.actions')} />}>
              <MenuItem danger icon={Trash2} onSelect={() => void remove.ask()}>
                {t('page.delete')}
              </MenuItem>
            </Menu>
          )}
        </>
      }
    >
      {remove.error && <Failure error={remove.error} />}
      <div className="xl:hidden">
        <Tabs
          label={t('agent')}
          tabs={[
            ['edit', t('page.edit')],
            ['try', t('page.test')],
          ]}
          value={tab}
          onChange={(name) =>
            void navigate({ to: '.', search: { tab: name === 'try' ? name : undefined }, replace: true })
          }
        />
      </div>
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_25rem]">
        <div className={classNames('min-w-0', tab !== 'edit' && 'max-xl:hidden')}>
          <AgentForm agent={agent} edits={edits} />
        </div>
        <div className={classNames('min-w-0 xl:sticky xl:top-6', tab !== 'try' && 'max-xl:hidden')}>
          <TryAgent agent={agent} isUnsaved={edits.isChanged} />
        </div>
      </div>
    </Page>
  )
}

function useRemoval(agent: Agent) {
  const confirm = useConfirm()
  const notify = useNotify()
  const navigate = useNavigate()
  const remove = useChange('DELETE /api/agents/delete', {
    onDone() {
      notify(t('page.deleted', { name: agent.name }))
      void navigate({ to: '/agents', ignoreBlocker: true })
    },
    outdates: ['GET /api/agents/list'],
  })
  const ask = async () => {
    const isSure = await confirm({
      title: t('page.deleteTitle', { name: agent.name }),
      consequence: t('page.deleteConsequence'),
      action: t('page.deleteAction'),
    })
    if (isSure) remove.mutate({ query: { agent_id: agent.id } })
  }
  return { ask, error: remove.error }
}

/** The page of another organization's public agent. Users can test the agent but not change it. */
const ForeignAgent = ({ agent }: { agent: Agent }) => (
  <Page title={agent.name} description={agent.description} above={<ToAgents />} wide>
    <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_25rem]">
      <Empty icon={Bot} title={t('foreign.title')}>
        {t('foreign.text')}
      </Empty>
      <TryAgent agent={agent} isUnsaved={false} />
    </div>
  </Page>
)
