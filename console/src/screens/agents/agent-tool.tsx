import type { Agent, Tool } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { QueryFailure, Skeleton } from '../../ui/states.tsx'
import { ValueField } from '../../ui/value-field.tsx'
import { ChangedTool } from './changed-tool.tsx'
import { configWith, isKeptSecret, textOf } from './tool-config.ts'

const t = translator('agents')

type UsedTool = Agent['tools'][number]

interface AgentToolProps {
  /** The agent as saved. */
  agent: Agent
  tool: UsedTool
  /** The tool as saved. Undefined if the tool was added since the last save. */
  saved: UsedTool | undefined
  onConfig: (config: UsedTool['config']) => void
  onRemove: () => void
}

export function AgentTool({ agent, tool, saved, onConfig, onRemove }: AgentToolProps) {
  const { may } = useHere()
  const found = useQuery({
    ...read('GET /api/tools', { tool_id: tool.tool_id }),
    enabled: may('tool:read'),
  })
  return (
    <li className="flex flex-col gap-3 px-4 py-3">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            <Link
              to="/tools/$toolId"
              params={{ toolId: tool.tool_id }}
              className="min-w-0 wrap-anywhere text-accent hover:underline"
            >
              {tool.name}
            </Link>
            {found.data?.is_active === false && <Badge tone="warning">{t('tools.inactive')}</Badge>}
          </p>
          <p className="line-clamp-2 text-sm wrap-anywhere text-muted">{found.data?.description}</p>
        </div>
        <IconButton small icon={X} label={t('remove', { name: tool.name })} onClick={onRemove} />
      </div>
      {saved?.needs_confirmation && <ChangedTool agent={agent} tool={saved} />}
      {found.isPending && may('tool:read') && <Skeleton className="h-9" />}
      <QueryFailure query={found} />
      {found.data && found.data.configuration.length > 0 && (
        <ConfigFields tool={tool} saved={saved} definition={found.data} onConfig={onConfig} />
      )}
    </li>
  )
}

const ConfigFields = ({
  tool,
  saved,
  definition,
  onConfig,
}: Omit<AgentToolProps, 'agent' | 'onRemove'> & { definition: Tool }) => (
  <div
    role="group"
    aria-label={t('tools.configuration', { name: tool.name })}
    className="grid gap-3 sm:grid-cols-2"
  >
    {definition.configuration.map((descriptor) => {
      const isKept = isKeptSecret(saved?.config, descriptor.name)
      return (
        <ValueField
          key={descriptor.name}
          descriptor={descriptor}
          text={textOf(tool.config, descriptor.name)}
          isKept={isKept}
          onText={(text) => onConfig(configWith(tool.config, descriptor.name, text, isKept))}
        />
      )
    })}
  </div>
)
