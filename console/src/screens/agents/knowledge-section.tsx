import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { read, readPages } from '../../api/queries.ts'
import { useRecords } from '../../api/use-records.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { CHOICES_PAGE, listChoices } from '../../ui/choices.ts'
import { Section } from '../../ui/page.tsx'
import { Picker } from '../../ui/picker.tsx'
import { QueryFailure } from '../../ui/states.tsx'
import type { AgentPart } from './agent-part.ts'

const t = translator('agents')

export function KnowledgeSection({ agent, edit }: AgentPart) {
  const { organization, may } = useHere()
  const mayRead = may('kb:read')
  const bases = useInfiniteQuery({
    ...readPages('GET /api/kb/list', { org_id: organization.id, limit: CHOICES_PAGE }),
    enabled: mayRead,
  })
  const ids = agent.knowledge_base_ids
  const { records: all } = useRecords(ids, bases.data, (kb_id) => read('GET /api/kb/get', { kb_id }))
  const nameOf = (id: string) => all.find((base) => base.id === id)?.name ?? t('knowledge.unknown')
  return (
    <Section title={t('knowledge.title')} description={t('knowledge.description')}>
      <QueryFailure query={bases} />
      {ids.length === 0 ? (
        <p className="text-sm text-muted">
          {bases.data?.length === 0
            ? t.rich('knowledge.create', {
                link: (text) => (
                  <Link to="/knowledge" className="text-accent underline">
                    {text}
                  </Link>
                ),
              })
            : t('knowledge.none')}
        </p>
      ) : (
        <ul className="flex flex-col divide-y divide-line rounded-xl border border-line">
          {ids.map((id) => {
            const base = all.find((one) => one.id === id)
            const name = nameOf(id)
            return (
              <li key={id} className="flex items-center gap-3 px-4 py-2">
                <Link
                  to="/knowledge/$kbId"
                  params={{ kbId: id }}
                  className="min-w-0 font-medium wrap-anywhere text-accent hover:underline"
                >
                  {name}
                </Link>
                <span className="min-w-0 grow text-sm text-muted">
                  {base && documents(base.document_count)}
                </span>
                {base?.status === 'failed' && <Badge tone="danger">{t('knowledge.failed')}</Badge>}
                <IconButton
                  small
                  icon={X}
                  label={t('remove', { name })}
                  onClick={() => edit({ knowledge_base_ids: ids.filter((one) => one !== id) })}
                />
              </li>
            )
          })}
        </ul>
      )}
      <div>
        {mayRead && (
          <Picker
            label={t('knowledge.picker')}
            several
            lists={[
              listChoices(
                'GET /api/kb/list',
                { org_id: organization.id },
                ({ id, name, document_count }) => ({
                  id,
                  name,
                  note: documents(document_count),
                }),
              ),
            ]}
            chosen={ids.map((id) => ({ id, name: nameOf(id) }))}
            onChange={(chosen) => edit({ knowledge_base_ids: chosen.map(({ id }) => id) })}
            disabled={!may('agent:write')}
            empty={t('knowledge.noMatches')}
          >
            {t('knowledge.choose')}
          </Picker>
        )}
      </div>
    </Section>
  )
}

const documents = (count: number): string => t('knowledge.documents', { count })
