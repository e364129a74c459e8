import { BookOpen, Bot } from 'lucide-react'
import { formatNumber } from '../../ui/format.ts'
import { useNewestAgents, useNewestKnowledgeBases } from './newest.ts'
import { Shelf } from './shelf.tsx'

export const Agents = () => (
  <Shelf
    title="Agents"
    icon={Bot}
    to="/agents"
    query={useNewestAgents()}
    lines={({ data }) =>
      data.map(({ id, name, is_active }) => ({
        id,
        to: `/agents/${id}`,
        name,
        note: is_active ? undefined : 'Off',
      }))
    }
  />
)

export const KnowledgeBases = () => (
  <Shelf
    title="Knowledge"
    icon={BookOpen}
    to="/knowledge"
    query={useNewestKnowledgeBases()}
    lines={({ data }) =>
      data.map(({ id, name, document_count }) => ({
        id,
        to: `/knowledge/${id}`,
        name,
        note: document_count === 1 ? '1 document' : `${formatNumber(document_count)} documents`,
      }))
    }
  />
)
