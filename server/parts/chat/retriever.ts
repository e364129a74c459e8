import type { Citation } from '#database/schema/chat.ts'
import type { Payer } from '#platform/ledger/ledger.ts'
import type { Agents, ReadyAgent } from '../agents/index.ts'
import { type KbList, PASSAGES_MAX, type Passage, SCORE_THRESHOLD } from '../kb/index.ts'
import type { ChatReader, ChatWriter } from './schemas.ts'

export interface UsableKnowledgeBase {
  id: string
  name: string
  description: string
}

/** The chat part's interface to knowledge bases. */
export interface Retriever {
  /** Returns knowledge bases that the caller may use, newest first. */
  listUsable(
    scope: Pick<ChatReader, 'organizationId' | 'holds'>,
    list: KbList,
  ): Promise<UsableKnowledgeBase[]>
  /**
   * Returns the best passages of these knowledge bases, best first. Omits scores below
   * the threshold. Throws kb.not_found if a knowledge base isn't in the organization.
   */
  retrieve(
    scope: ChatWriter,
    request: { knowledgeBaseIds: string[]; query: string; limit: number; scoreThreshold: number },
  ): Promise<Passage[]>
}

const SNIPPET_CHARACTERS = 300

export interface FoundPassage extends Passage {
  /** True if the passage belongs to another organization's agent. The model may use it, but users must not see it. */
  isHidden: boolean
}

interface RetrieverOptions {
  knowledgeBaseIds: string[]
  agent: ReadyAgent | null
  payer: Payer
}

/**
 * Retrieves the best passages from the knowledge bases of the message and of its agent. Visible passages precede
 * hidden ones, so that a passage's number in the prompt is also the number of its citation.
 */
export async function retrieveFor(
  { retriever, agents }: { retriever: Retriever; agents: Pick<Agents, 'retrieve'> },
  scope: ChatWriter,
  { knowledgeBaseIds, agent, payer }: RetrieverOptions,
  query: string,
): Promise<FoundPassage[]> {
  const [named, known] = await Promise.all([
    knowledgeBaseIds.length === 0
      ? []
      : retriever.retrieve(scope, {
          knowledgeBaseIds,
          query,
          limit: PASSAGES_MAX,
          scoreThreshold: SCORE_THRESHOLD,
        }),
    agent === null || agent.knowledgeBaseIds.length === 0 ? [] : agents.retrieve(agent, payer, query),
  ])
  const isNamed = new Set(named.map((passage) => passage.chunk_id))
  const isHidden = agent?.isForeign ?? false
  const found = [
    ...named.map((passage) => ({ ...passage, isHidden: false })),
    ...known.filter((passage) => !isNamed.has(passage.chunk_id)).map((passage) => ({ ...passage, isHidden })),
  ]
  const best = found.sort((one, other) => other.score - one.score).slice(0, PASSAGES_MAX)
  return [...best.filter((passage) => !passage.isHidden), ...best.filter((passage) => passage.isHidden)]
}

export const citationOf = ({
  content,
  headings: _headings,
  isHidden: _isHidden,
  ...citation
}: FoundPassage): Citation => ({
  ...citation,
  snippet: citation.snippet || content.slice(0, SNIPPET_CHARACTERS).toWellFormed(),
})
