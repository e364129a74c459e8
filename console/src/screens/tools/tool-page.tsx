import type { Tool } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Ellipsis, FileDown, Trash2 } from 'lucide-react'
import { knownName } from '../../api/known-name.ts'
import { read, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Back } from '../../ui/back.tsx'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { useConfirm } from '../../ui/confirm.tsx'
import { useEdits } from '../../ui/edits.ts'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Page } from '../../ui/page.tsx'
import { PendingPage } from '../../ui/pending-page.tsx'
import { Failure } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { useLeaveGuard } from '../../ui/unsaved.tsx'
import { ForeignTool } from './foreign-tool.tsx'
import { TestPane } from './test-pane.tsx'
import { downloadTool } from './tool-file.ts'
import { ToolForm } from './tool-form.tsx'

const t = translator('tools')

export function ToolPage() {
  const { toolId } = useParams({ from: '/app/tools/$toolId' })
  const { organization } = useHere()
  const tool = useQuery(read('GET /api/tools', { tool_id: toolId }))
  if (tool.data === undefined)
    return (
      <PendingPage
        query={tool}
        name={knownName('GET /api/tools/list_all', toolId)}
        kind={t('page.title')}
        above={<ToTools />}
        wide
      />
    )
  const isOwn = tool.data.organization_id === organization.id
  return isOwn ? <OwnTool key={toolId} tool={tool.data} /> : <OthersTool key={toolId} tool={tool.data} />
}

const ToTools = () => <Back to="/tools">{t('title')}</Back>

function OwnTool({ tool }: { tool: Tool }) {
  const { may } = useHere()
  const edits = useEdits(tool)
  const removal = useRemoval(tool)
  useLeaveGuard(edits.isChanged)
  return (
    <Page
      title={tool.name}
      above={<ToTools />}
      wide
      actions={
        <>
          <span className="text-sm text-muted">{t('version', { version: tool.version })}</span>
          {!tool.is_active && <Badge>{t('status.inactive')}</Badge>}
          {tool.is_public && <Badge tone="accent">{t('status.public')}</Badge>}
          <Menu trigger={<IconButton icon={Ellipsis} label={t('list.more')} />}>
            <MenuItem icon={FileDown} onSelect={() => downloadTool(tool)}>
              {t('page.export')}
            </MenuItem>
            {may('tool:delete') && (
              <MenuItem danger icon={Trash2} onSelect={() => void removal.ask()}>
                {t('page.delete')}
              </MenuItem>
            )}
          </Menu>
        </>
      }
    >
      {removal.error && <Failure error={removal.error} />}
      <Panes
        edit={<ToolForm tool={tool} edits={edits} />}
        test={<TestPane tool={tool} isUnsaved={edits.isChanged} />}
      />
    </Page>
  )
}

const OthersTool = ({ tool }: { tool: Tool }) => (
  <Page
    title={tool.name}
    above={<ToTools />}
    wide
    actions={
      <>
        <span className="text-sm text-muted">{t('version', { version: tool.version })}</span>
        <Badge tone="accent">{t('status.foreign')}</Badge>
      </>
    }
  >
    <Panes edit={<ForeignTool tool={tool} />} test={<TestPane tool={tool} isUnsaved={false} />} />
  </Page>
)

/** Shows the form and the test pane side by side on wide screens, and as tabs on narrow screens. */
function Panes({ edit, test }: { edit: React.ReactNode; test: React.ReactNode }) {
  const { tab = 'edit' } = useSearch({ from: '/app/tools/$toolId' })
  const navigate = useNavigate({ from: '/tools/$toolId' })
  return (
    <>
      <div className="xl:hidden">
        <Tabs
          label={t('page.views')}
          tabs={[
            ['edit', t('page.edit')],
            ['test', t('page.test')],
          ]}
          value={tab}
          onChange={(name) =>
            void navigate({
              search: (before) => ({ ...before, tab: name === 'test' ? name : undefined }),
              replace: true,
            })
          }
        />
      </div>
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_25rem]">
        <div className={classNames('min-w-0', tab !== 'edit' && 'max-xl:hidden')}>{edit}</div>
        <div className={classNames('min-w-0 xl:sticky xl:top-6', tab !== 'test' && 'max-xl:hidden')}>
          {test}
        </div>
      </div>
    </>
  )
}

function useRemoval(tool: Tool) {
  const confirm = useConfirm()
  const notify = useNotify()
  const navigate = useNavigate()
  const remove = useChange('DELETE /api/tools', {
    onDone() {
      notify(t('page.deleted', { name: tool.name }))
      void navigate({ to: '/tools', ignoreBlocker: true })
    },
    outdates: ['GET /api/tools/list_all'],
  })
  const ask = async () => {
    const isSure = await confirm({
      title: t('page.deleteTitle', { name: tool.name }),
      consequence: t('page.deleteConsequence'),
      action: t('page.delete'),
    })
    if (isSure) remove.mutate({ query: { org_id: tool.organization_id, tool_id: tool.id } })
  }
  return { ask, error: remove.error }
}
