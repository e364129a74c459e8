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

/** A server of the catalogue that fits a question. */
export interface CatalogueHit {
  serverId: string
  name: string
  toolkitSlug: string
  description: string
  /** Those that fit best, in the words of the server. */
  tools: { name: string; description: string }[]
  /** 0 to 1. */
  score: number
  isConnected: boolean
}

type Dependencies = Pick<McpDependencies, 'database'>

/** Of one server so many tools are searched, and of all together so many servers and tools. */
const TOOLS_OF_A_SERVER_MAX = 200
const ENTRIES_MAX = 10_000
/** Of a person's connections the newest so many are searched. */
const CONNECTIONS_MAX = 50
/** Connections whose tools are kept ready. */
const READY_CONNECTIONS_MAX = 100
/** Tools that are named of one server. */
const TOOLS_NAMED_MAX = 8
/** Servers, and tools of many servers, that are found first. */
const FOUND_MAX = 1_000
const SEARCH_TIMEOUT_MS = 20_000
const PREPARE_TIMEOUT_MS = 60_000

/** One text that is searched: a server, or one of its tools. */
interface Entry {
  serverId: string
  /** Null: the server itself. */
  tool: Tool | null
}

interface ReadyEntries {
  entries: Entry[]
  segment: TextSegment
}

interface ReadyCatalogue extends ReadyEntries {
  /** Of the rows that it was made of. */
  stamp: string
  servers: Map<string, ServerRow>
}

/**
 * Searches the catalogue by full text and embeddings over names, toolkits, descriptions and tools, and over the tools of
 * the caller's own connections for him alone. What is common to all is kept ready in memory, made when it is first
 * asked for and again when the catalogue has changed.
 */
export class CatalogueSearch {
  readonly #deps: Dependencies
  readonly #index: TextIndex
  #ready: ReadyCatalogue | null = null
  #making: { stamp: string; ready: Promise<ReadyCatalogue> } | null = null
  /** By connection and when its tools were read; the one that was used longest ago comes first. */
  readonly #connections = new Map<string, Promise<ReadyEntries>>()

  constructor(deps: Dependencies) {
    this.#deps = deps
    this.#index = new TextIndex(openStemmer(deps))
  }

  /** Servers that can be connected to and fit the question, best first; with `onlyOrganizationId` no connections of others. */
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
   * Of more tools than a model may have those that fit a question best, in the order in which they were given. Where
   * fewer fit at all, the first of the others make up the number.
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

  /** The catalogue as it is now. Who asks while it is made ready waits for the same. */
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

/** So much of a description is searched and named. */
const DESCRIPTION_CHARACTERS_MAX = 1_000

function addTools(server: ServerRow, tools: readonly Tool[], entries: Entry[], texts: string[]): void {
  for (const { name, description } of tools.slice(0, TOOLS_OF_A_SERVER_MAX)) {
    if (entries.length >= ENTRIES_MAX) return
    const tool = { name, description: description.slice(0, DESCRIPTION_CHARACTERS_MAX) }
    entries.push({ serverId: server.id, tool })
    texts.push(`${server.name} ${textOf(tool)}`)
  }
}

/** The words of a name are found too: of create_issue those are words anyway, of createIssue they are not. */
const textOf = ({ name, description }: Tool): string =>
  `${name} ${name.replace(/([a-z\d])([A-Z])/g, '$1 $2')} ${description.slice(0, DESCRIPTION_CHARACTERS_MAX)}`
