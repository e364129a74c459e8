import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { outdate } from '../../api/queries.ts'
import { loadText, translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { useDefaultModel } from '../../shell/own.ts'
import { loadChunk } from '../../ui/chunks.ts'
import { useNotify } from '../../ui/toast.tsx'
import { useNewestAgents, useNewestKnowledgeBases } from './newest.ts'

const t = translator('home')

export type SampleKind = 'document' | 'agent'

/** The ids of the samples that this browser has created, by organization. */
type Kept = Record<string, Partial<Record<SampleKind, string>>>

const KEY = 'parley.samples'

/** Returns the ids of the samples that still exist, and a mutation that adds or removes one. */
export function useSamples() {
  const { organization } = useHere()
  const org_id = organization.id
  const client = useQueryClient()
  const notify = useNotify()
  const modelId = useDefaultModel()
  const [kept, setKept] = useState(readKept)
  const [bases, agents] = [useNewestKnowledgeBases(), useNewestAgents()]
  const isThere = { document: idsOf(bases), agent: idsOf(agents) }
  const idOf = (kind: SampleKind): string | undefined => {
    const id = kept[org_id]?.[kind]
    return id !== undefined && isThere[kind].includes(id) ? id : undefined
  }
  const keep = (kind: SampleKind, id: string | undefined) => {
    const next = { ...kept, [org_id]: { ...kept[org_id], [kind]: id } }
    localStorage.setItem(KEY, JSON.stringify(next))
    setKept(next)
  }
  const toggle = useMutation({
    mutationFn: async (kind: SampleKind) => {
      const samples = await loadSamples()
      const id = idOf(kind)
      if (id !== undefined) await samples.removeSample(kind, id)
      else if (kind === 'document') keep(kind, await samples.makeSampleKnowledge(org_id))
      else if (modelId) keep(kind, await samples.makeSampleAgent(org_id, modelId, idOf('document')))
      await outdate(client, 'GET /api/kb/list', 'GET /api/agents/list')
      return id === undefined
    },
    onSuccess: (isAdded, kind) => notify(t(isAdded ? `samples.added.${kind}` : `samples.removed.${kind}`)),
    onError: notify,
  })
  return { idOf, toggle, mayAddAgent: modelId !== null }
}

/** Loads the code and the text of the samples, which most users never need. */
const loadSamples = () =>
  loadChunk(async () => {
    await loadText('rest')
    return import('./make-samples.ts')
  })

const idsOf = ({ data }: { data: { data: { id: string }[] } | undefined }): string[] =>
  data?.data.map(({ id }) => id) ?? []

function readKept(): Kept {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Kept
  } catch {
    return {}
  }
}
