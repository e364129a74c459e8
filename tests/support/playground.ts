import { randomUUID } from 'node:crypto'
import { type Answer, type Person, parseEvents, type StreamEvent } from './client.ts'
import { type McpServerOptions, startMcpServer, type TestMcpServer } from './mcp/index.ts'
import { startProvider } from './provider/index.ts'
import { StreamReader } from './reader.ts'
import { startTestServer, type TestServer } from './server.ts'

const AUTH_NONE = JSON.stringify({ type: 'none' })

export type PlaygroundStage = Awaited<ReturnType<typeof openPlayground>>

/** The response to a message: the events of the stream, or the error. */
export interface Asked {
  status: number
  body: Answer['body']
  events: StreamEvent[]
  data: Record<string, unknown>[]
  /** The text of all token events, concatenated. */
  text: string
  tools: Record<string, unknown>[]
}

/** Starts a server with an emulated model provider, and helpers that connect users to MCP servers on loopback. */
export async function openPlayground(environment: Record<string, string> = {}) {
  const provider = await startProvider()
  const server = await startTestServer(environment)
  const { sql } = server.server.services.database
  const started: TestMcpServer[] = []

  /** Adds a server to the catalogue. Returns its id. */
  async function addServer(name: string, url: string, more: { description?: string; tools?: object[] } = {}) {
    const id = randomUUID()
    const slug = `${name.toLowerCase().replace(/[^a-z\d]+/g, '-')}-${id.slice(0, 4)}`
    const tools = more.tools ?? null
    await sql`
      insert into mcp_servers
        (id, name, toolkit_name, toolkit_slug, description, url, auth_config, tools, created_at, updated_at)
      values (${id}, ${name}, ${name}, ${slug}, ${more.description ?? ''}, ${url}, ${AUTH_NONE}::text::jsonb,
        ${tools && JSON.stringify(tools)}::text::jsonb, now(), now())`
    return id
  }

  /** Connects a user to a server. Returns the connection's id. */
  async function connect(person: Person, serverId: string, status = 'active'): Promise<string> {
    const id = randomUUID()
    await sql`
      insert into mcp_instances (id, organization_id, user_id, server_id, status, created_at, updated_at)
      values (${id}, ${person.organizationId}, ${person.userId}, ${serverId}, ${status}, now(), now())`
    return id
  }

  const bodyOf = (content: string, ids: string[], model: string | undefined) => ({
    content,
    ...(ids.length > 0 && { mcp_instance_ids: ids }),
    ...(model !== undefined && { model }),
  })

  return {
    provider,
    server,
    sql,
    addServer,
    connect,
    /** Signs up a user with one model per version at the emulated provider. */
    async person(...versions: string[]): Promise<Person> {
      const person = await server.signUp()
      for (const version of versions) await addModel(server, provider.url, person, version)
      return person
    },
    addModel: (person: Person, version: string, config: object = {}) =>
      addModel(server, provider.url, person, version, config),
    /** Starts an MCP server with this name and connects a user to it. */
    async connectTo(person: Person, name: string, options: McpServerOptions) {
      const mcpServer = await startMcpServer(options)
      started.push(mcpServer)
      const serverId = await addServer(name, mcpServer.url)
      return { id: await connect(person, serverId), serverId, mcpServer }
    },
    /** Sends a message and reads the stream to its end. */
    async ask(
      person: Person,
      content: string,
      { ids = [], model, query = '', on = server }: AskOptions = {},
    ): Promise<Asked> {
      const answer = await on.call('POST', `/api/mcp_playground/chat${query}`, {
        token: person.token,
        body: bodyOf(content, ids, model),
      })
      const events = answer.status === 200 ? parseEvents(answer.text) : []
      const data = events.map((event) => event.data)
      const tokens = data.filter((event) => event['tool'] === null && event['message'] !== 'DONE')
      return {
        status: answer.status,
        body: answer.body,
        events,
        data,
        text: tokens.map((event) => event['message']).join(''),
        tools: data.flatMap(({ tool }) => (tool ? [tool as Record<string, unknown>] : [])),
      }
    },
    /** Sends a message as `ask` does, but returns the open stream. */
    open: (person: Person, content: string, ids: string[] = [], model?: string): Promise<StreamReader> =>
      StreamReader.open(`${server.url}/api/mcp_playground/chat`, {
        method: 'POST',
        headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(bodyOf(content, ids, model)),
      }),
    async memoryOf(person: Person, on: TestServer = server, query = ''): Promise<Answer['body']> {
      return (await on.call('GET', `/api/mcp_playground/memory${query}`, { token: person.token })).body
    },
    /** Returns the body of the newest request to the model provider. */
    // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and fail if one is missing
    request: (): any => provider.requests.at(-1)?.body,
    async close(): Promise<void> {
      await server.stop()
      await Promise.all(started.map((one) => one.close()))
      await provider.close()
    },
  }
}

interface AskOptions {
  ids?: string[]
  model?: string | undefined
  query?: string
  on?: TestServer
}

const addModel = (server: TestServer, url: string, person: Person, version: string, config: object = {}) =>
  server.addModel(person, {
    name: version,
    provider: 'openai-compatible',
    version,
    config: { base_url: `${url}/v1`, ...config },
  })
