import type { Citation } from '#database/schema/chat.ts'
import { PASSAGES_MAX, SCORE_THRESHOLD } from '../kb/index.ts'
import type { ChatReader, ChatWriter } from './schemas.ts'

/** A passage of a document, with what a message says of it when it was used. */
export interface Passage extends Citation {
  /** The whole passage; a citation shows the beginning of it. */
  content: string
  /** Those that it stands under, from the first to the nearest. */
  headings: string[]
}

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
    wanted: { knowledgeBaseIds: string[]; query: string; limit: number; scoreThreshold: number },
  ): Promise<Passage[]>
}

const SNIPPET_CHARACTERS = 300

/** The passages for a message. */
export const retrieveFor = (
  retriever: Retriever,
  scope: ChatWriter,
  knowledgeBaseIds: string[],
  query: string,
): Promise<Passage[]> =>
  knowledgeBaseIds.length === 0
    ? Promise.resolve([])
    : retriever.retrieve(scope, {
        knowledgeBaseIds,
        query,
        limit: PASSAGES_MAX,
        scoreThreshold: SCORE_THRESHOLD,
      })

export const citationOf = ({ content, headings: _headings, ...citation }: Passage): Citation => ({
  ...citation,
  snippet: citation.snippet || content.slice(0, SNIPPET_CHARACTERS).toWellFormed(),
})
