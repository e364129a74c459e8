import type { Tool } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Ellipsis, FileDown, Trash2 } from 'lucide-react'
import { read, useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Back } from '../../ui/back.tsx'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { useConfirm } from '../../ui/confirm.tsx'
import { useEdits } from '../../ui/edits.ts'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Page } from '../../ui/page.tsx'
import { Failure, Loaded, Skeleton } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { useLeaveGuard } from '../../ui/unsaved.tsx'
import { ForeignTool } from './foreign-tool.tsx'
import { TestPane } from './test-pane.tsx'
import { downloadTool } from './tool-file.ts'
import { ToolForm } from './tool-form.tsx'

/** A tool: its code and what is said of it, and beside it a way to try it. */
export function ToolPage() {
  const { toolId } = useParams({ from: '/app/tools/$toolId' })
  const { organization } = useHere()
  const tool = useQuery(read('GET /api/tools', { tool_id: toolId }))
  if (tool.data === undefined)
    return (
      <Page title="Tool" above={<ToTools />} wide>
        <Loaded query={tool} skeleton={<ToolSkeleton />}>
          {() => null}
        </Loaded>
      </Page>
    )
  const isOwn = tool.data.organization_id === organization.id
  return isOwn ? <OwnTool key={toolId} tool={tool.data} /> : <OthersTool key={toolId} tool={tool.data} />
}

const ToTools = () => <Back to="/tools">Tools</Back>

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
          <span className="text-sm text-muted">Version {tool.version}</span>
          {!tool.is_active && <Badge>Inactive</Badge>}
          {tool.is_public && <Badge tone="accent">Public</Badge>}
          <Menu trigger={<IconButton icon={Ellipsis} label="More" />}>
            <MenuItem icon={FileDown} onSelect={() => downloadTool(tool)}>
              Export as a file
            </MenuItem>
            {may('tool:delete') && (
              <MenuItem danger icon={Trash2} onSelect={() => void removal.ask()}>
                Delete
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
        <span className="text-sm text-muted">Version {tool.version}</span>
        <Badge tone="accent">Of others</Badge>
      </>
    }
  >
    <Panes edit={<ForeignTool tool={tool} />} test={<TestPane tool={tool} isUnsaved={false} />} />
  </Page>
)

/** Side by side, or one of them where there is no room. */
function Panes({ edit, test }: { edit: React.ReactNode; test: React.ReactNode }) {
  const { tab = 'edit' } = useSearch({ from: '/app/tools/$toolId' })
  const navigate = useNavigate({ from: '/tools/$toolId' })
  return (
    <>
      <div className="xl:hidden">
        <Tabs
          label="Tool"
          tabs={[
            ['edit', 'Edit'],
            ['test', 'Test'],
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
      notify(`${tool.name} is deleted`)
      void navigate({ to: '/tools', ignoreBlocker: true })
    },
    outdates: ['GET /api/tools/list_all'],
  })
  const ask = async () => {
    const isSure = await confirm({
      title: `Delete ${tool.name}?`,
      consequence: 'Its code is gone for everybody. Export it first where you may want it again.',
      action: 'Delete',
    })
    if (isSure) remove.mutate({ query: { org_id: tool.organization_id, tool_id: tool.id } })
  }
  return { ask, error: remove.error }
}

const ToolSkeleton = () => (
  <div role="status" aria-label="Loading" className="grid gap-6 xl:grid-cols-[minmax(0,1fr)_25rem]">
    <div className="flex flex-col gap-6">
      <Skeleton className="h-40" />
      <Skeleton className="h-96" />
    </div>
    <Skeleton className="h-80 max-xl:hidden" />
  </div>
)
