import type { Person } from '#tests/support/client.ts'
import { type Collector, startCollector } from '#tests/support/collector.ts'
import { findFreePort } from '#tests/support/free-port.ts'
import { type MailServer, startMailServer } from '#tests/support/mail.ts'
import { type AuthorizedMcpServer, startAuthorizedMcpServer } from '#tests/support/mcp/authorized-server.ts'
import { startMcpServer, type TestMcpServer, textResult } from '#tests/support/mcp/index.ts'
import { OPENID_CLIENT, type OpenidProvider, startOpenidProvider } from '#tests/support/openid-provider.ts'
import { type EchoServer, messageWithCredentials, startEchoServer } from './echo-server.ts'
import { Plants } from './plants.ts'
import { recordAnswers } from './record-answers.ts'
import { dumpDatabase, type Place, readFolder } from './secret-places.ts'
import { signUpPlanted } from './secrets-of-accounts.ts'
import type { Stage } from './stage.ts'

/** A product with configured secrets, and servers that repeat what the product sends to them. */
export interface Target {
  stage: Stage
  plants: Plants
  mail: MailServer
  collector: Collector
  /** A server that repeats credentials in its error messages. */
  echo: EchoServer
  /** The server that `echo` redirects to. It is on another host, so it must not receive any secret. */
  elsewhere: EchoServer
  openid: OpenidProvider
  /** An MCP server that requires a key in the header X-Key. */
  keyMcp: TestMcpServer
  /** An MCP server that requires an access token of its authorization server. */
  oauthMcp: AuthorizedMcpServer
  /** A user who has signed up with a planted password. */
  owner: Person
  /** The id of the owner's model TOOL_MODEL, which can call tools. */
  toolModelId: string
  /** Further places to search, such as exports and the output of commands. */
  found: Place[]
  /** Stops the server. Returns everything that is readable and everything that was sent. */
  collect(): Promise<Place[]>
  close(): Promise<void>
}

/** A model name with a prefix that the playground accepts. */
export const TOOL_MODEL = 'gpt-emu'

export async function openTarget(main: Stage): Promise<Target> {
  const plants = new Plants()
  const port = await findFreePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const elsewhere = await startEchoServer('elsewhere')
  const [mail, collector, echo, openid, keyMcp, oauthMcp] = await Promise.all([
    startMailServer(),
    startCollector(),
    startEchoServer('a provider', elsewhere.url),
    startOpenidProvider(`${baseUrl}/api/auth/oidc/callback`),
    startKeyMcp(),
    startAuthorizedMcpServer({ authMethod: 'client_secret_post' }),
  ])
  Object.assign(oauthMcp.faults, keepTokens(plants))
  const operator = {
    PORT: String(port),
    BASE_URL: baseUrl,
    LOG_LEVEL: 'trace',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    SECRET: plants.plant('SECRET'),
    SECRET_PREVIOUS: plants.plant('SECRET'),
    ADMIN_PASSWORD: plants.plant('password'),
    METRICS_TOKEN: plants.plant('METRICS_TOKEN'),
    SMTP_URL: mail.url.replace('smtp://', `smtp://parley:${plants.plant('SMTP password')}@`),
    OIDC_ISSUER: openid.issuer,
    OIDC_CLIENT_ID: OPENID_CLIENT.id,
    OIDC_CLIENT_SECRET: plants.keep('OIDC client secret', OPENID_CLIENT.secret),
    OPENAI_API_KEY: plants.plant("operator's provider key", 'sk-'),
    OPENAI_BASE_URL: `${echo.url}/401/v1`,
    DEEPSEEK_API_KEY: plants.plant("operator's provider key", 'sk-'),
    DEEPSEEK_BASE_URL: `${main.provider.url}/v1`,
    PLAYGROUND_DIRECT_MODEL: 'emu-n5',
    PLAYGROUND_DISCOVERY_MODEL: 'emu-n5',
    COMPOSIO_API_KEY: plants.plant("operator's provider key", 'ak_'),
    COMPOSIO_BASE_URL: `${echo.url}/401`,
  }
  const stage = await main.another(operator)
  plants.keep('access token', stage.administrator)
  if (stage.databaseUrl !== null) plants.keep('database password', new URL(stage.databaseUrl).password)
  // Uses the main stage's provider and webhook receiver.
  Object.assign(stage, { provider: main.provider, receiver: main.receiver })
  const recorded = recordAnswers(stage.url)
  const found: Place[] = []
  const owner = await signUpPlanted({ stage, plants })
  const toolModelId = await stage.addModel(owner, {
    name: TOOL_MODEL,
    provider: 'openai-compatible',
    version: TOOL_MODEL,
    config: { base_url: `${main.provider.url}/v1`, capabilities: ['text', 'tools'] },
  })
  return {
    stage,
    plants,
    mail,
    collector,
    echo,
    elsewhere,
    openid,
    keyMcp,
    oauthMcp,
    owner,
    toolModelId,
    found,
    async collect() {
      recorded.end()
      await stage.server.stop()
      const { databaseUrl, dataDir, server, provider, receiver } = stage
      return [
        ...merge(recorded.answers),
        ...found,
        ...(await dumpDatabase(databaseUrl === null ? { dataDir } : { url: databaseUrl })),
        ...readFolder(dataDir),
        { name: 'log', text: server.output() },
        { name: 'traces', text: collector.text() },
        { name: 'mail', text: JSON.stringify(mail.received) },
        ...merge([...echo.requests, ...elsewhere.requests, ...requestsTo(provider.requests)]),
        ...merge(
          keyMcp.seen.flatMap(({ headers, path, message }) =>
            requestTo('an MCP server', headers, [path, message]),
          ),
        ),
        { name: 'paths of an MCP server', text: oauthMcp.paths.join('\n') },
        ...merge(
          receiver.messages.map(({ path, headers, text }) => ({
            name: 'webhook',
            text: `${path}\n${JSON.stringify(headers)}\n${text}`,
          })),
        ),
      ]
    },
    async close() {
      recorded.end()
      await Promise.all(
        [mail, collector, echo, elsewhere, openid, keyMcp, oauthMcp].map((each) => each.close()),
      )
    },
  }
}

function merge(places: readonly Place[]): Place[] {
  const texts = new Map<string, Set<string>>()
  for (const { name, text } of places) texts.set(name, (texts.get(name) ?? new Set()).add(text))
  return [...texts].map(([name, parts]) => ({ name, text: [...parts].join('\n') }))
}

const requestTo = (name: string, headers: object, parts: readonly unknown[]): Place[] => [
  { name: `headers to ${name}`, text: JSON.stringify(headers) },
  { name: `request to ${name}`, text: JSON.stringify(parts) },
]

const requestsTo = (requests: Stage['provider']['requests']): Place[] =>
  requests.flatMap(({ path, headers, body }) => requestTo('a provider', headers, [path, body]))

/**
 * Starts an MCP server whose tool repeats the caller's key: in a protocol error, in a failed or successful result, or
 * in a response with status 500.
 */
function startKeyMcp(): Promise<TestMcpServer> {
  let calls = 0
  return startMcpServer({
    tools: [{ name: 'echo', run: () => textResult('done') }],
    before(request, response, message, id) {
      if (message !== 'tools/call') return false
      const said = messageWithCredentials(request)
      const bodies = [
        { error: { code: -32_000, message: said } },
        { result: { content: [{ type: 'text', text: said }], isError: true } },
        { result: { content: [{ type: 'text', text: said }] } },
      ]
      const body = bodies[calls++ % 4]
      response.writeHead(body ? 200 : 500, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body ? { jsonrpc: '2.0', id, ...body } : { error: said }))
      return true
    },
  })
}

/** Returns faults that don't change any response, but record the tokens issued by an authorization server. */
const keepTokens = (plants: Plants): Partial<AuthorizedMcpServer['faults']> => ({
  changeTokens(tokens) {
    plants.keep('MCP access token', tokens['access_token'])
    if (tokens['refresh_token'] !== undefined) plants.keep('MCP refresh token', tokens['refresh_token'])
    return tokens
  },
  changeClient(client) {
    plants.keep('MCP client secret', client['client_secret'])
    return client
  },
})
