import type { Tool } from '@parley/client/schemas'
import { Link } from '@tanstack/react-router'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { LANGUAGE_NAMES, languageOf } from './languages.ts'
import { useCategories } from './use-tools.ts'

export function ToolTable({ tools }: { tools: Tool[] }) {
  const { organization } = useHere()
  const categories = useCategories()
  const categoryOf = ({ category_id }: Tool) =>
    categories.data?.find(({ id }) => id === category_id)?.name ?? ''
  if (tools.length === 0)
    return (
      <p role="status" className="text-sm text-muted">
        No tool here is like that.
      </p>
    )
  return (
    <Table
      label="Tools"
      rows={tools}
      keyOf={({ id }) => id}
      columns={[
        { header: 'Tool', cell: (tool) => <ToolName tool={tool} /> },
        { header: 'Category', wideOnly: true, cell: categoryOf },
        { header: 'Language', wideOnly: true, cell: (tool) => LANGUAGE_NAMES[languageOf(tool)] },
        {
          header: 'State',
          cell: ({ is_active, is_public, organization_id }) => (
            <div className="flex flex-wrap gap-1.5">
              {is_active ? <Badge tone="success">Active</Badge> : <Badge>Inactive</Badge>}
              {organization_id !== organization.id ? (
                <Badge tone="accent">Of others</Badge>
              ) : (
                is_public && <Badge tone="accent">Public</Badge>
              )}
            </div>
          ),
        },
        { header: 'Changed', wideOnly: true, cell: ({ updated_at }) => <Ago time={updated_at} /> },
      ]}
    />
  )
}

const ToolName = ({ tool }: { tool: Tool }) => (
  <div className="flex min-w-0 flex-col">
    <span className="flex flex-wrap items-baseline gap-x-2">
      <Link
        to="/tools/$toolId"
        params={{ toolId: tool.id }}
        className="font-medium wrap-anywhere text-accent hover:underline"
      >
        {tool.name}
      </Link>
      <span className="text-xs text-muted">version {tool.version}</span>
    </span>
    <span className="line-clamp-2 max-w-md wrap-anywhere text-muted">{tool.description}</span>
  </div>
)
