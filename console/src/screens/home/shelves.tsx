import { BookOpen, Bot } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { useNewestAgents, useNewestKnowledgeBases } from './newest.ts'
import { Shelf } from './shelf.tsx'

const t = translator('home')

export const Agents = () => (
  <Shelf
    title={t('agents.title')}
    all={t('agents.all')}
    icon={Bot}
    to="/agents"
    query={useNewestAgents()}
    lines={({ data }) =>
      data.map(({ id, name, is_active }) => ({
        id,
        to: `/agents/${id}`,
        name,
        mark: <Avatar id={id} name={name} />,
        note: is_active ? undefined : t('agents.off'),
      }))
    }
  />
)

export const KnowledgeBases = () => (
  <Shelf
    title={t('knowledge.title')}
    all={t('knowledge.all')}
    icon={BookOpen}
    to="/knowledge"
    query={useNewestKnowledgeBases()}
    lines={({ data }) =>
      data.map(({ id, name, document_count }) => ({
        id,
        to: `/knowledge/${id}`,
        name,
        mark: <Avatar id={id} name={name} />,
        note: t('knowledge.documents', { count: document_count }),
      }))
    }
  />
)
