import type { Agent, Tool } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { CHOICES_PAGE, type Choice, listChoices } from '../../ui/choices.ts'
import { Section } from '../../ui/page.tsx'
import { Picker } from '../../ui/picker.tsx'
import { QueryFailure } from '../../ui/states.tsx'
import type { AgentPart } from './agent-part.ts'
import { AgentTool } from './agent-tool.tsx'

const t = translator('agents')

export function ToolsSection({ agent, edit, saved }: AgentPart & { saved: Agent }) {
  const { organization, may } = useHere()
  const tools = useInfiniteQuery({
    ...readPages('GET /api/tools/list_all', { limit: CHOICES_PAGE }),
    enabled: may('tool:read'),
  })
  // The API lists the tools of all organizations of the user, and public tools.
  const choiceOf = ({ id, name, version, organization_id, is_active, is_public }: Tool): Choice | null => {
    const isOwn = organization_id === organization.id
    if (!is_active || !(isOwn || is_public)) return null
    return { id, name, note: isOwn ? version : t('tools.public', { version }) }
  }
  const choose = (choices: readonly Choice[]) =>
    edit({
      tools: choices.map(({ id, name }) => {
        const kept = [...agent.tools, ...saved.tools].find(({ tool_id }) => tool_id === id)
        // The server uses the revision only of tools that the agent already has.
        return kept ?? { tool_id: id, name, config: [], needs_confirmation: false, revision: 0 }
      }),
    })
  const chosen = agent.tools.map(({ tool_id, name }) => ({ id: tool_id, name }))
  return (
    <Section title={t('tools.title')} description={t('tools.description')}>
      <QueryFailure query={tools} />
      {agent.tools.length === 0 ? (
        <p className="text-sm text-muted">
          {tools.data?.every((tool) => choiceOf(tool) === null) && !tools.hasNextPage
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
              agent={saved}
              tool={tool}
              saved={saved.tools.find(({ tool_id }) => tool_id === tool.tool_id)}
              onConfig={(config) =>
                edit({
                  tools: agent.tools.map((one) => (one.tool_id === tool.tool_id ? { ...one, config } : one)),
                })
              }
              onRemove={() => choose(chosen.filter(({ id }) => id !== tool.tool_id))}
            />
          ))}
        </ul>
      )}
      <div>
        <Picker
          label={t('tools.title')}
          several
          lists={[listChoices('GET /api/tools/list_all', {}, choiceOf)]}
          chosen={chosen}
          onChange={choose}
          disabled={!may('agent:write') || !may('tool:read')}
          empty={t('tools.noMatches')}
        >
          {t('tools.choose')}
        </Picker>
      </div>
    </Section>
  )
}
