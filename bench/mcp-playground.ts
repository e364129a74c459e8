import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../server/config.ts'
import { systemSql } from '../server/database/system-sql.ts'
import { startServer } from '../server/main.ts'
import { createClient, type Person } from '../tests/support/client.ts'
import { startMcpServer, textResult } from '../tests/support/mcp/index.ts'
import { UNLIMITED } from '../tests/support/process.ts'
import { startProvider } from '../tests/support/provider/index.ts'
import { StreamReader } from '../tests/support/reader.ts'

/*
 * `node bench/mcp-playground.ts`: measures the time that the playground adds to that of the MCP servers it uses. Sends
 * a message with three connections, on the embedded database, with a model that answers immediately. Measures the time
 * to the first tool event. This event precedes all calls, and the servers list their tools without delay, so the whole
 * time is overhead. Also measures the time until all three calls have ended, of which the servers themselves take
 * CALL_MS. Cold means that the connections are used for the first time.
 */

const RUNS = 50
const CALL_MS = 30
const NAMES = ['one', 'two', 'three']
const MODEL = 'gpt-emu'
const CONTENT = `${NAMES.map((name) => `TOOL:${name}={}`).join(' ')} THEN say: Done.`

const dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'))
const provider = await startProvider()
const environment = {
  PORT: '0',
  DATA_DIR: dataDir,
  LOG_LEVEL: 'silent',
  ...UNLIMITED,
  ALLOW_PRIVATE_NETWORK: '127.0.0.0/8',
}
const server = await startServer(readConfig(environment))
const sql = systemSql(server.services.database)
const client = createClient(server.address)
const person = await client.signUp()
await client.addModel(person, {
  provider: 'openai-compatible',
  version: MODEL,
  config: { base_url: `${provider.url}/v1` },
})
const mcpServers = await Promise.all(NAMES.map(startServerOf))
const serverIds = await Promise.all(mcpServers.map(({ url }, place) => addServer(NAMES[place] ?? '', url)))

await measure(await connectAll())
const cold: Times[] = []
const warm: Times[] = []
for (let run = 0; run < RUNS; run++) {
  const ids = await connectAll()
  cold.push(await measure(ids))
  warm.push(await measure(ids))
}
for (const [name, times] of Object.entries({ cold, warm })) {
  print(
    `${name}, first tool event`,
    times.map(({ firstEventMs }) => firstEventMs),
  )
  print(
    `${name}, all three calls ended, minus ${CALL_MS} ms`,
    times.map(({ callsEndedMs }) => callsEndedMs - CALL_MS),
  )
}
await server.stop()
await Promise.all(mcpServers.map((one) => one.close()))
await provider.close()
rmSync(dataDir, { recursive: true })

interface Times {
  firstEventMs: number
  callsEndedMs: number
}

function startServerOf(name: string) {
  const run = async () => {
    await sleep(CALL_MS)
    return textResult('{"ok":true}')
  }
  return startMcpServer({ tools: [{ name, run }] })
}

async function addServer(name: string, url: string): Promise<string> {
  const id = crypto.randomUUID()
  await sql`
    insert into mcp_servers (id, name, toolkit_name, toolkit_slug, description, url, auth_config, created_at, updated_at)
    values (${id}, ${name}, ${name}, ${name}, '', ${url}, '{"type":"none"}', now(), now())`
  return id
}

/** Creates an unused connection to each server. */
function connectAll(): Promise<string[]> {
  return Promise.all(
    serverIds.map(async (serverId) => {
      const id = crypto.randomUUID()
      await sql`
        insert into mcp_instances (id, organization_id, user_id, server_id, status, created_at, updated_at)
        values (${id}, ${person.organizationId}, ${person.userId}, ${serverId}, 'active', now(), now())`
      return id
    }),
  )
}

async function measure(ids: string[]): Promise<Times> {
  const began = performance.now()
  const stream = await ask(person, ids)
  let firstEventMs = 0
  let callsEndedMs = 0
  let ended = 0
  for (let event = await stream.next(); event; event = await stream.next()) {
    const tool = event.data['tool'] as { successful?: boolean } | null | undefined
    if (tool && firstEventMs === 0) firstEventMs = performance.now() - began
    if (tool?.successful) ended += 1
    if (ended === NAMES.length && callsEndedMs === 0) callsEndedMs = performance.now() - began
  }
  if (ended !== NAMES.length) throw new Error(JSON.stringify(stream.events.map(({ data }) => data)))
  return { firstEventMs, callsEndedMs }
}

function ask({ token }: Person, ids: string[]): Promise<StreamReader> {
  return StreamReader.open(`${server.address}/api/mcp_playground/chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content: CONTENT, mcp_instance_ids: ids, model: MODEL }),
  })
}

function print(name: string, times: number[]): void {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(0)
  console.log(`${name}, p50 and p95: ${at(0.5)} ms, ${at(0.95)} ms`)
}
