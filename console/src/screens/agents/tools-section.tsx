import type { Agent } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Section } from '../../ui/page.tsx'
import { Picker } from '../../ui/picker.tsx'
import { QueryFailure } from '../../ui/states.tsx'
import type { AgentPart } from './agent-part.ts'
import { AgentTool } from './agent-tool.tsx'

const t = translator('agents')

export function ToolsSection({ agent, edit, saved }: AgentPart & { saved: Agent }) {
  const { organization, may } = useHere()
  const tools = useInfiniteQuery({
    ...readPages('GET /api/tools/list_all', { limit: 100 }),
    enabled: may('tool:read'),
  })
  const isOwn = (id: string) => id === organization.id
  const usable = (tools.data ?? []).filter(
    (tool) => tool.is_active && (isOwn(tool.organization_id) || tool.is_public),
  )
  const choices = usable.map(({ id, name, version, organization_id }) => ({
    id,
    name,
    note: version,
    group: isOwn(organization_id) ? organization.name : t('tools.public'),
  }))
  const choose = (ids: string[]) =>
    edit({
      tools: ids.map((id) => {
        const kept = [...agent.tools, ...saved.tools].find(({ tool_id }) => tool_id === id)
        return kept ?? { tool_id: id, name: choices.find((one) => one.id === id)?.name ?? '', config: [] }
      }),
    })
  const chosen = agent.tools.map(({ tool_id }) => tool_id)
  return (
    <Section title={t('tools.title')} description={t('tools.description')}>
      <QueryFailure query={tools} />
      {agent.tools.length === 0 ? (
        <p className="text-sm text-muted">
          {usable.length === 0 && tools.data
            ? t.rich('tools.create', {
                link: (text) => (
                  <Link to="/tools" className="text-accent underline">
                    {text}
                  </Link>
                ),
              })
            : t('tools.none')}
        </p>
      ) : (
        <ul className="flex flex-col divide-y divide-line rounded-xl border border-line">
          {agent.tools.map((tool) => (
            <AgentTool
              key={tool.tool_id}
              tool={tool}
              saved={saved.tools.find(({ tool_id }) => tool_id === tool.tool_id)}
              onConfig={(config) =>
                edit({
                  tools: agent.tools.map((one) => (one.tool_id === tool.tool_id ? { ...one, config } : one)),
                })
              }
              onRemove={() => choose(chosen.filter((id) => id !== tool.tool_id))}
            />
          ))}
        </ul>
      )}
      <div>
        <Picker
          label={t('tools.title')}
          several
          choices={choices}
          chosen={chosen}
          onChange={choose}
          disabled={!may('agent:write')}
          empty={tools.isPending ? t('loading') : t('tools.noMatches')}
        >
          {t('tools.choose')}
        </Picker>
      </div>
    </Section>
  )
}
