import { TextIndex, type TextSegment } from '#platform/retrieval/text-index.ts'
import type { McpDependencies } from './dependencies.ts'
import {
  type Connection,
  openStemmer,
  readCatalogue,
  readConnections,
  readStamp,
  readTools,
  type ServerRow,
  type Tool,
} from './search-system.ts'

/** A server of the catalogue that matches a question. */
export interface CatalogueHit {
  serverId: string
  name: string
  toolkitSlug: string
  description: string
  /** The tools that match best, with the server's descriptions. */
  tools: { name: string; description: string }[]
  /** Score of the best match, from 0 to 1. */
  score: number
  isConnected: boolean
}

type Dependencies = Pick<McpDependencies, 'database'>

/** Limits of the index: tools per server, and servers and tools in total. */
const TOOLS_OF_A_SERVER_MAX = 200
const ENTRIES_MAX = 10_000
/**
 * Maximum number of a user's connections that are searched, newest first.
 * @limit connections of a user that a search covers (newest first)
 */
const CONNECTIONS_MAX = 50
/** Maximum number of connections whose index is cached. */
const READY_CONNECTIONS_MAX = 100
/** Maximum number of tools per hit. */
const TOOLS_NAMED_MAX = 8
/** Maximum number of search candidates, servers and tools together. */
const FOUND_MAX = 1_000
const SEARCH_TIMEOUT_MS = 20_000
const PREPARE_TIMEOUT_MS = 60_000

/** A searchable entry: a server or one of its tools. */
interface Entry {
  serverId: string
  /** The tool. Null if the entry is the server itself. */
  tool: Tool | null
}

interface ReadyEntries {
  entries: Entry[]
  segment: TextSegment
}

interface ReadyCatalogue extends ReadyEntries {
  /** Value of `readStamp` when the index was built. */
  stamp: string
  servers: Map<string, ServerRow>
}

/**
 * Searches the catalogue by full text and embeddings over names, toolkits, descriptions and tools. Includes the tools
 * of the caller's own connections. Caches the catalogue's index in memory, and rebuilds it on the first search after
 * a change.
 */
export class CatalogueSearch {
  readonly #deps: Dependencies
  readonly #index: TextIndex
  #ready: ReadyCatalogue | null = null
  #making: { stamp: string; ready: Promise<ReadyCatalogue> } | null = null
  /** Cached indexes by connection id and stamp, least recently used first. */
  readonly #connections = new Map<string, Promise<ReadyEntries>>()

  constructor(deps: Dependencies) {
    this.#deps = deps
    this.#index = new TextIndex(openStemmer(deps))
  }

  /**
   * Returns servers that match the question, best first. With `onlyOrganizationId`, considers only connections in
   * that organization.
   */
  async search(
    userId: string,
    onlyOrganizationId: string | null,
    question: string,
    limit: number,
  ): Promise<CatalogueHit[]> {
    const [catalogue, connections] = await Promise.all([
      this.#current(),
      readConnections(this.#deps, userId, onlyOrganizationId),
    ])
    const usable = connections.filter(({ serverId }) => catalogue.servers.has(serverId))
    const own = await this.#entriesOf(usable.slice(0, CONNECTIONS_MAX), catalogue)
    const all = [catalogue, ...own]
    const hits = await this.#index.search(
      all.map(({ segment }) => segment),
      question,
      FOUND_MAX,
      AbortSignal.timeout(SEARCH_TIMEOUT_MS),
    )
    const connected = new Set(usable.map(({ serverId }) => serverId))
    const found = new Map<string, CatalogueHit>()
    for (const { segment, index, score } of hits) {
      const { serverId, tool } = (all[segment] as ReadyEntries).entries[index] as Entry
      const server = catalogue.servers.get(serverId) as ServerRow
      const { name, toolkitSlug, description } = server
      const isConnected = connected.has(serverId)
      const hit = found.get(serverId) ?? {
        serverId,
        name,
        toolkitSlug,
        description,
        tools: [],
        score,
        isConnected,
      }
      found.set(serverId, hit)
      if (tool && hit.tools.length < TOOLS_NAMED_MAX) hit.tools.push(tool)
    }
    return [...found.values()].slice(0, limit)
  }

  /**
   * Returns the `limit` tools that best match a question, in their original order. If fewer tools match, fills up
   * with the first tools that don't match.
   */
  async chooseTools<Offered extends { definition: Tool }>(
    question: string,
    tools: readonly Offered[],
    limit: number,
  ): Promise<Offered[]> {
    if (tools.length <= limit) return [...tools]
    const signal = AbortSignal.timeout(SEARCH_TIMEOUT_MS)
    const segment = await this.#index.prepare(
      tools.map(({ definition }) => textOf(definition)),
      signal,
    )
    const chosen = new Set(
      (await this.#index.search([segment], question, limit, signal)).map(({ index }) => index),
    )
    for (let index = 0; chosen.size < limit; index++) chosen.add(index)
    return tools.filter((_, index) => chosen.has(index))
  }

  /** Returns the index of the current catalogue. Concurrent callers share one build. */
  async #current(): Promise<ReadyCatalogue> {
    const stamp = await readStamp(this.#deps)
    if (this.#ready?.stamp === stamp) return this.#ready
    if (this.#making?.stamp === stamp) return this.#making.ready
    const ready = this.#prepare(stamp)
    const making = { stamp, ready }
    this.#making = making
    try {
      this.#ready = await ready
      return this.#ready
    } finally {
      if (this.#making === making) this.#making = null
    }
  }

  async #prepare(stamp: string): Promise<ReadyCatalogue> {
    const rows = await readCatalogue(this.#deps)
    const entries: Entry[] = []
    const texts: string[] = []
    for (const row of rows) {
      entries.push({ serverId: row.id, tool: null })
      texts.push(`${row.name} ${row.toolkitName} ${row.toolkitSlug} ${row.description}`)
    }
    for (const row of rows) addTools(row, row.tools ?? [], entries, texts)
    const segment = await this.#index.prepare(texts, AbortSignal.timeout(PREPARE_TIMEOUT_MS))
    return { stamp, servers: new Map(rows.map((row) => [row.id, row])), entries, segment }
  }

  async #entriesOf(connections: Connection[], { servers }: ReadyCatalogue): Promise<ReadyEntries[]> {
    const keyOf = ({ id, stamp }: Connection): string => `${id} ${stamp}`
    const unknown = connections.filter((connection) => !this.#connections.has(keyOf(connection)))
    const read = unknown.length === 0 ? new Map() : await readTools(this.#deps, unknown)
    return Promise.all(
      connections.map((connection) => {
        const key = keyOf(connection)
        const server = servers.get(connection.serverId) as ServerRow
        const ready = this.#connections.get(key) ?? this.#prepareTools(server, read.get(connection.id) ?? [])
        this.#connections.delete(key)
        this.#connections.set(key, ready)
        ready.catch(() => this.#connections.delete(key))
        const [oldest] = this.#connections.keys()
        if (this.#connections.size > READY_CONNECTIONS_MAX && oldest !== undefined)
          this.#connections.delete(oldest)
        return ready
      }),
    )
  }

  async #prepareTools(server: ServerRow, tools: Tool[]): Promise<ReadyEntries> {
    const entries: Entry[] = []
    const texts: string[] = []
    addTools(server, tools, entries, texts)
    return { entries, segment: await this.#index.prepare(texts, AbortSignal.timeout(PREPARE_TIMEOUT_MS)) }
  }
}

/** Maximum length of a description that is indexed and returned, in characters. */
const DESCRIPTION_CHARACTERS_MAX = 1_000

function addTools(server: ServerRow, tools: readonly Tool[], entries: Entry[], texts: string[]): void {
  for (const { name, description, left_out: reason } of tools.slice(0, TOOLS_OF_A_SERVER_MAX)) {
    if (reason !== undefined) continue
    if (entries.length >= ENTRIES_MAX) return
    const tool = { name, description: description.slice(0, DESCRIPTION_CHARACTERS_MAX) }
    entries.push({ serverId: server.id, tool })
    texts.push(`${server.name} ${textOf(tool)}`)
  }
}

/**
 * Returns the text to index for a tool. Splits camel case, so that createIssue matches the same words as
 * create_issue.
 */
const textOf = ({ name, description }: Tool): string =>
  `${name} ${name.replace(/([a-z\d])([A-Z])/g, '$1 $2')} ${description.slice(0, DESCRIPTION_CHARACTERS_MAX)}`
