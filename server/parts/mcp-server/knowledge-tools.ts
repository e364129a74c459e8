import { UUID } from '#database/new-id.ts'
import type { Scope } from '#platform/access/scope.ts'
import type { CallToolResult, ServedTool } from '#platform/mcp/server-definition.ts'
import { QUERY_CHARACTERS_MAX } from '#platform/retrieval/parse-query.ts'
import type { KnowledgeBases } from '../kb/index.ts'
import { uriOfDocument } from './document-resources.ts'
import { dataResult, failure, textOf } from './results.ts'

const LIMIT_DEFAULT = 5
const LIMIT_MAX = 20
/**
 * Maximum number of knowledge bases searched if the call names none, newest first.
 * @limit knowledge bases searched if a call names none (newest first)
 */
const SEARCHED_MAX = 20
const PAGE_MAX = 100
const NAME_CHARACTERS_MAX = 200
const UUID_CHARACTERS = 36

type Reader = Scope<'kb:read'>
type Knowledge = Pick<KnowledgeBases, 'list' | 'findPassages' | 'findNamed'>

const SEARCH: ServedTool = {
  name: 'search_knowledge_bases',
  title: 'Search knowledge bases',
  description:
    "Returns the passages of the organization's documents that best match a question, with their documents. Without " +
    `knowledge_base, searches the newest ${SEARCHED_MAX} knowledge bases.`,
  inputSchema: {
    type: 'object',
    properties: {
      query: {
        type: 'string',
        minLength: 1,
        maxLength: QUERY_CHARACTERS_MAX,
        description: 'Question or words. Supports "quoted phrases" and prefixes*.',
      },
      knowledge_base: {
        type: 'string',
        maxLength: NAME_CHARACTERS_MAX,
        description: 'Name of the knowledge base to search.',
      },
      limit: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT },
    },
    required: ['query'],
    additionalProperties: false,
  },
  annotations: { title: 'Search knowledge bases', readOnlyHint: true, openWorldHint: false },
}

const LIST: ServedTool = {
  name: 'list_knowledge_bases',
  title: 'List knowledge bases',
  description: `Lists the organization's knowledge bases, newest first, ${PAGE_MAX} at a time.`,
  inputSchema: {
    type: 'object',
    properties: {
      cursor: {
        type: 'string',
        maxLength: UUID_CHARACTERS,
        description: 'next_cursor of the previous page.',
      },
    },
    additionalProperties: false,
  },
  annotations: { title: 'List knowledge bases', readOnlyHint: true, openWorldHint: false },
}

export const KNOWLEDGE_TOOLS: readonly ServedTool[] = [SEARCH, LIST]
export const KNOWLEDGE_TOOL_NAMES: readonly string[] = KNOWLEDGE_TOOLS.map(({ name }) => name)

/** Calls the knowledge tool with this name. Throws kb.not_found, billing.insufficient_credits. */
export const callKnowledgeTool = (
  knowledge: Knowledge,
  scope: Reader,
  name: string,
  input: Record<string, unknown>,
): Promise<CallToolResult> =>
  name === SEARCH.name ? search(knowledge, scope, input) : list(knowledge, scope, input)

async function search(
  knowledge: Knowledge,
  scope: Reader,
  input: Record<string, unknown>,
): Promise<CallToolResult> {
  const query = textOf(input, 'query', QUERY_CHARACTERS_MAX)
  if (typeof query !== 'string') return failure(query.problem)
  const { limit = LIMIT_DEFAULT, knowledge_base: named } = input
  if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > LIMIT_MAX)
    return failure(`limit must be an integer from 1 to ${LIMIT_MAX}.`)
  if (named !== undefined && (typeof named !== 'string' || named.length > NAME_CHARACTERS_MAX))
    return failure(
      'knowledge_base must be the name of a knowledge base, as returned by list_knowledge_bases.',
    )
  const searched =
    named === undefined
      ? await knowledge.list(scope, { below: undefined, count: SEARCHED_MAX })
      : [await knowledge.findNamed(scope, named)]
  const { organizationId, userId, apiKeyId } = scope
  const passages = await knowledge.findPassages(
    { organizationId, userId, apiKeyId },
    { organizationId, knowledgeBaseIds: searched.map(({ id }) => id), query, limit: Number(limit) },
  )
  return dataResult({
    passages: passages.map(({ document_name, headings, score, content, document_id }) => ({
      document_name,
      headings,
      score,
      content,
      document_id,
      document_uri: uriOfDocument(document_id),
    })),
  })
}

async function list(
  knowledge: Knowledge,
  scope: Reader,
  { cursor }: Record<string, unknown>,
): Promise<CallToolResult> {
  if (cursor !== undefined && !(typeof cursor === 'string' && UUID.test(cursor)))
    return failure('cursor must be the next_cursor of the previous page.')
  const found = await knowledge.list(scope, { below: cursor, count: PAGE_MAX + 1 })
  const page = found.slice(0, PAGE_MAX)
  return dataResult({
    knowledge_bases: page.map(({ name, description }) => ({ name, description })),
    next_cursor: found.length > PAGE_MAX ? (page.at(-1)?.id ?? null) : null,
  })
}
