import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import type { Answer, Person } from '#tests/support/client.ts'
import { findFreePort } from '#tests/support/free-port.ts'
import { type AuthorizedMcpServer, startAuthorizedMcpServer } from '#tests/support/mcp/authorized-server.ts'
import { startMcpServer, type TestMcpServer, textResult } from '#tests/support/mcp/index.ts'
import { startPostgres } from '#tests/support/postgres.ts'
import { startReceiver } from '#tests/support/receiver.ts'
import type { TestServer } from '#tests/support/server.ts'
import { type Team, teamOf } from '#tests/support/team.ts'
import { ANSWERS } from './chats.ts'
import { startModel } from './model.ts'

/** A running server. Scripts extend this type with what else they need, such as a browser. */
export interface Stage {
  server: TestServer
  stop(): Promise<void>
}

/** A sample bookshop: an organization on a real server, and the emulated services that the server uses. */
export interface Shop<S extends Stage = Stage> {
  stage: S
  sql: postgres.Sql
  /** The URL of the database for a superuser. */
  databaseUrl: string
  team: Team
  owner: Person
  /** Creates a record through the API and returns its id. */
  make(path: string, body: unknown, person?: Person): Promise<string>
  modelUrl: string
  parcels: TestMcpServer
  diary: AuthorizedMcpServer
  hooksUrl: string
  close(): Promise<void>
}

/** Returns the mail address of a person of the shop. */
export const addressOf = (name: string): string => `${name}@lighthouse.example`
export const PASSWORD = 'eighty-four steps up'
/** The user agent of the owner's sign-in, for the list of sessions. */
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:147.0) Gecko/20100101 Firefox/147.0'

/** Opens the shop on a new database. `secret` is its server's SECRET. */
export async function openShop<S extends Stage>(
  secret: string,
  startStage: (environment: Record<string, string>) => Promise<S>,
): Promise<Shop<S>> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-shop-'))
  mkdirSync(join(folder, 'postgres'))
  const database = await startPostgres({ dataDir: join(folder, 'postgres') })
  await database.createDatabase('parley')
  const port = String(await findFreePort())
  const [stage, model, parcels, diary, receiver] = await Promise.all([
    startStage({
      PORT: port,
      // Passkeys require a domain name and don't work with an IP address.
      BASE_URL: `http://localhost:${port}`,
      DATABASE_URL: database.url('parley'),
      SECRET: secret,
    }),
    startModel(ANSWERS),
    startMcpServer({ tools: PARCEL_TOOLS }),
    startAuthorizedMcpServer({ tools: DIARY_TOOLS }),
    startReceiver(),
  ])
  receiver.answers.set('/tills', (response) => response.writeHead(503).end())
  const sql = postgres(database.url('parley'), { onnotice() {} })
  const owner = await signUp(stage, 'Marta', 'Lind')
  const team = await teamOf(stage.server, owner, 'Lighthouse Books')
  return {
    stage,
    sql,
    databaseUrl: database.url('parley'),
    team,
    owner: { ...owner, organizationId: team.id },
    make: async (path, body, person) => (await team.api('POST', path, body, person)).id,
    modelUrl: `${model.url}/v1`,
    parcels,
    diary,
    hooksUrl: receiver.url,
    async close() {
      await stage.stop()
      await sql.end()
      await Promise.all([model.close(), parcels.close(), diary.close(), receiver.close()])
      await database.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Creates an account, as a browser does. */
export async function signUp(stage: Stage, first_name: string, last_name: string): Promise<Person> {
  const email = addressOf(first_name.toLowerCase())
  const body = { email, password: PASSWORD, first_name, last_name }
  const headers = { 'user-agent': BROWSER }
  return personOf(email, await stage.server.call('POST', '/api/auth/signup', { body, headers }))
}

/** Returns the person from the answer of a sign-up or a sign-in. */
export function personOf(email: string, { status, body, text }: Answer): Person {
  if (status >= 400) throw new Error(text)
  const { user, access_token: token, refresh_token: refreshToken } = body
  const organizationId = user.organizations[0].id
  return { userId: user.id, email, password: PASSWORD, token, refreshToken, organizationId }
}

const PARCEL_TOOLS = [
  {
    name: 'track_parcel',
    description: 'Tells where a parcel is, and when it is expected',
    inputSchema: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
    run: ({ number }: Record<string, unknown>) =>
      textResult(
        JSON.stringify({ number, place: 'Sorting office, Port Ellen', expected: 'tomorrow before noon' }),
      ),
  },
  {
    name: 'order_pickup',
    description: 'Has parcels picked up at the shop on a day',
    inputSchema: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
    run: () => textResult('Ordered'),
  },
]

const DIARY_TOOLS = [
  {
    name: 'list_events',
    description: 'Lists the events of a day',
    inputSchema: { type: 'object' as const, properties: { day: { type: 'string' } } },
    run: () => 'Reading at seven',
  },
]
