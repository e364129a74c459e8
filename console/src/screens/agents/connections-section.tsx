import type { McpInstance } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { QueryFailure, Skeleton } from '../../ui/states.tsx'
import type { AgentPart } from './agent-part.ts'

const t = translator('agents')

/** The connections to MCP servers that members have shared with the agent. */
export function ConnectionsSection({ agent, edit }: AgentPart) {
  const { organization, may } = useHere()
  const connections = useQuery({
    ...read('GET /api/mcp/list_instances', { org_id: organization.id }),
    enabled: may('mcp:read'),
  })
  const own = connections.data ?? []
  const ids = agent.mcp_instance_ids
  const others = connections.data ? ids.filter((id) => !own.some((one) => one.id === id)) : []
  const offered = own.filter(({ id, status }) => status === 'active' || ids.includes(id))
  const set = (id: string, isLent: boolean) =>
    edit({ mcp_instance_ids: isLent ? [...ids, id] : ids.filter((one) => one !== id) })
  return (
    <Section title={t('connections.title')} description={t('connections.description')}>
      <QueryFailure query={connections} />
      {connections.isPending && may('mcp:read') && <Skeleton className="h-9" />}
      {offered.map((connection) => (
        <CheckField
          key={connection.id}
          label={connection.name ?? connection.server_name}
          hint={hintOf(connection)}
          checked={ids.includes(connection.id)}
          onChange={({ target }) => set(connection.id, target.checked)}
        />
      ))}
      {connections.data && offered.length === 0 && (
        <p className="text-sm text-muted">
          {t.rich('connections.connect', {
            link: (text) => (
              <Link to="/connections" className="text-accent underline">
                {text}
              </Link>
            ),
          })}
        </p>
      )}
      {others.length > 0 && (
        <div className="flex flex-wrap items-center justify-between gap-2 text-sm">
          <p>{t('connections.others', { count: others.length })}</p>
          <Button
            size="small"
            onClick={() => edit({ mcp_instance_ids: ids.filter((id) => !others.includes(id)) })}
          >
            {t('connections.removeOthers', { count: others.length })}
          </Button>
        </div>
      )}
    </Section>
  )
}

function hintOf({ status, error, name, server_name }: McpInstance): string | undefined {
  if (status === 'active') return name === null || name === server_name ? undefined : server_name
  return error ? t('connections.inactiveReason', { reason: error }) : t('connections.inactive')
}
