import type { Citation } from '#database/schema/chat.ts'
import type { Payer } from '#platform/ledger/ledger.ts'
import type { Agents, ReadyAgent } from '../agents/index.ts'
import { PASSAGES_MAX, type Passage, SCORE_THRESHOLD } from '../kb/index.ts'
import type { ChatReader, ChatWriter } from './schemas.ts'

/** A knowledge base that may be used in a chat. */
export interface UsableKnowledgeBase {
  id: string
  name: string
  description: string
}

/** Where passages come from: what the chat part needs of knowledge bases. */
export interface Retriever {
  /** Those that the caller may use, newest first, below an id. */
  listUsable(
    scope: Pick<ChatReader, 'organizationId' | 'holds'>,
    below: string | undefined,
    count: number,
  ): Promise<UsableKnowledgeBase[]>
  /**
   * The passages of these knowledge bases that fit the query best, best first, none with a score below the threshold
   * (spec, send_message, rule 3). Throws kb.not_found for one that is not the organization's.
   */
  retrieve(
    scope: ChatWriter,
    request: { knowledgeBaseIds: string[]; query: string; limit: number; scoreThreshold: number },
  ): Promise<Passage[]>
}

const SNIPPET_CHARACTERS = 300

/** A passage for a message. */
export interface FoundPassage extends Passage {
  /** It is of an agent of somebody else: the model may use it, and nobody is shown it. */
  isHidden: boolean
}

interface RetrieverOptions {
  knowledgeBaseIds: string[]
  agent: ReadyAgent | null
  payer: Payer
}

/**
 * The passages for a message, of the knowledge bases that it names and those of its agent together: the best so many,
 * best first, but those that may be shown before the others, so that their numbers in the prompt are those of the
 * citations.
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
