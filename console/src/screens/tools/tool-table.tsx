import type { Tool } from '@parley/client/schemas'
import { Link } from '@tanstack/react-router'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { LANGUAGE_NAMES, languageOf } from './languages.ts'
import { useCategories } from './use-tools.ts'

const t = translator('tools')

export function ToolTable({ tools }: { tools: Tool[] }) {
  const { organization } = useHere()
  const categories = useCategories()
  const categoryOf = ({ category_id }: Tool) =>
    categories.data?.find(({ id }) => id === category_id)?.name ?? ''
  if (tools.length === 0)
    return (
      <p role="status" className="text-sm text-muted">
        {t('list.noMatch')}
      </p>
    )
  return (
    <Table
      label={t('title')}
      rows={tools}
      keyOf={({ id }) => id}
      columns={[
        { header: t('columns.tool'), cell: (tool) => <ToolName tool={tool} /> },
        {
          header: t('columns.category'),
          wideOnly: true,
          cell: (tool) => (
            <span title={categoryOf(tool)} className="block max-w-40 truncate">
              {categoryOf(tool)}
            </span>
          ),
        },
        { header: t('columns.language'), wideOnly: true, cell: (tool) => LANGUAGE_NAMES[languageOf(tool)] },
        {
          header: t('columns.status'),
          cell: ({ is_active, is_public, organization_id }) => (
            <div className="flex flex-wrap gap-1.5">
              {is_active ? (
                <Badge tone="success">{t('status.active')}</Badge>
              ) : (
                <Badge>{t('status.inactive')}</Badge>
              )}
              {organization_id !== organization.id ? (
                <Badge tone="accent">{t('status.foreign')}</Badge>
              ) : (
                is_public && <Badge tone="accent">{t('status.public')}</Badge>
              )}
            </div>
          ),
        },
        { header: t('columns.updated'), wideOnly: true, cell: ({ updated_at }) => <Ago time={updated_at} /> },
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
      <span className="text-xs text-muted">{t('version', { version: tool.version })}</span>
    </span>
    <span className="line-clamp-2 max-w-md wrap-anywhere text-muted">{tool.description}</span>
  </div>
)
