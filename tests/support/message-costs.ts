import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { NAMES } from '#platform/telemetry/names.ts'
import { textInSpan } from '#platform/telemetry/watch-database.ts'
import { type Person, parseEvents } from './client.ts'
import { type ReceivedSpan, startCollector } from './collector.ts'
import { type LiveSocket, openReady } from './live-socket.ts'
import { startProvider } from './provider/index.ts'
import { createDatabase, startTestServer, type TestServer } from './server.ts'
import { startWireProxy } from './wire-proxy.ts'

/** The mean costs of the counted messages. */
export interface MessageCosts {
  /**
   * Number of statements by summary, such as `INSERT open_holds`. A transaction counts as one statement, in addition
   * to the statements that it contains.
   */
  statements: Record<string, number>
  /** Number of rows inserted, updated and deleted, by table. Includes rows written by triggers and cascades. */
  rows: Record<string, number>
  /** Number of events in the reply's stream, by name. */
  streamEvents: Record<string, number>
  /** Number of events on the sender's live socket, by type. */
  liveEvents: Record<string, number>
  parameterBytes: number
  streamBytes: number
}

export interface CountedCosts {
  costs: MessageCosts
  /** The SQL texts of the statements, by summary. */
  texts: Map<string, Set<string>>
}

/** How the counted messages are sent: the sender, the query parameters and the body. */
export interface MessagePath {
  person: Person
  query: Record<string, string>
  body: Record<string, unknown>
  /** The last live event that a message causes. Undefined if the work ends with the reply. */
  lastEvent?: string
}

interface Window {
  traceIds: string[]
  sent: ReturnType<Awaited<ReturnType<typeof startWireProxy>>['take']>
  rows: { table: string; query: string }[]
  streams: { events: (string | undefined)[]; bytes: number }[]
  live: string[]
}

const MESSAGES = 10
const WARM_UPS = 2
const POLL_MS = 20

/**
 * Starts a server on which the costs of messages are counted. A trace id attributes statements to a message, so
 * background work isn't counted. Rows and bytes are attributed through the SQL texts of these statements.
 */
export async function openCounter() {
  const [collector, provider, database] = await Promise.all([
    startCollector(),
    startProvider(),
    createDatabase(),
  ])
  if (!database) throw new Error('costs are counted on PostgreSQL')
  const proxy = await startWireProxy(database.url)
  const sql = postgres(database.url, { max: 1, onnotice: () => {} })
  await logRows(sql)
  const server = await startTestServer({
    DATABASE_URL: proxy.url,
    SECRET: 's'.repeat(32),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  })
  const windows = new Map<string, Window>()

  async function sendOne({ person, query, body, lastEvent }: MessagePath, live: LiveSocket, traceId: string) {
    const traceparent = `00-${traceId}-${randomBytes(8).toString('hex')}-01`
    const { events, bytes } = await readStream(server, person, { query, body }, traceparent)
    if (lastEvent) await live.until(lastEvent)
    while ((await sql`select 1 from open_holds`).length > 0) await sleep(POLL_MS)
    return { events, bytes }
  }

  return {
    server,
    provider,
    /**
     * Sends several messages one after another, and counts the costs of all but the first ones, which warm up the
     * server.
     */
    async count(name: string, path: MessagePath): Promise<void> {
      const live = await openReady(server.url, path.person.token)
      const send = (traceId: string) => sendOne(path, live, traceId)
      for (let sent = 0; sent < WARM_UPS; sent++) await send(newTraceId())
      // Prevents updates of a session's last use, which would occur once a minute.
      await sql`update sessions set last_used_at = now() + interval '1 hour'`
      proxy.take()
      await sql`truncate row_log`
      live.received.length = 0
      const traceIds = Array.from({ length: MESSAGES }, newTraceId)
      const streams: Window['streams'] = []
      for (const traceId of traceIds) streams.push(await send(traceId))
      windows.set(name, {
        traceIds,
        streams,
        sent: proxy.take(),
        rows: await sql<Window['rows']>`select "table", query from row_log`,
        live: live.received.map(({ type }) => type),
      })
      live.socket.terminate()
    },
    /** Stops the server and its helpers. Returns the counted costs by path name. */
    async close(): Promise<Map<string, CountedCosts>> {
      // Stopping the server flushes its last spans.
      await server.stop()
      const counted = new Map<string, CountedCosts>()
      for (const [name, window] of windows) {
        const spans = collector.spans.filter(
          ({ traceId, attributes }) => window.traceIds.includes(traceId) && attributes[NAMES.databaseSystem],
        )
        counted.set(name, { costs: costsOf(window, spans), texts: textsOf(spans) })
      }
      await sql.end()
      await Promise.all([proxy.close(), provider.close(), collector.close()])
      await database.drop()
      return counted
    },
  }
}

const textsOf = (spans: readonly ReceivedSpan[]): CountedCosts['texts'] =>
  new Map(
    [...Map.groupBy(spans, ({ name }) => name)].map(([name, all]) => [
      name,
      new Set(all.map(({ attributes }) => String(attributes[NAMES.statement]))),
    ]),
  )

const newTraceId = (): string => randomBytes(16).toString('hex')

function costsOf({ sent, rows, streams, live }: Window, spans: ReceivedSpan[]): MessageCosts {
  const texts = new Set(spans.map(({ attributes }) => attributes[NAMES.statement]))
  const isOfMessage = (text: string): boolean => texts.has(textInSpan(text))
  const bytes = sent.filter(({ text }) => isOfMessage(text)).map(({ parameterBytes }) => parameterBytes)
  return {
    statements: meansOf(spans.map(({ name }) => name)),
    rows: meansOf(rows.filter(({ query }) => isOfMessage(query)).map(({ table }) => table)),
    streamEvents: meansOf(streams.flatMap(({ events }) => events.map((event) => event ?? 'message'))),
    liveEvents: meansOf(live),
    parameterBytes: sum(bytes) / MESSAGES,
    streamBytes: sum(streams.map((stream) => stream.bytes)) / MESSAGES,
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

/** Counts each name, and returns the mean count per message. */
const meansOf = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(names.toSorted(), (name) => name)].map(([name, all]) => [name, all.length / MESSAGES]),
  )

/** Installs triggers that log every written row with the SQL text of its statement. */
async function logRows(sql: postgres.Sql): Promise<void> {
  await sql
    .unsafe(`
    create table row_log ("table" text not null, query text not null);
    create function log_row() returns trigger language plpgsql as $$
    begin
      insert into row_log values (tg_table_name, current_query());
      return null;
    end $$;
    do $$
    declare one record;
    begin
      for one in select tablename from pg_tables where schemaname = 'public' and tablename <> 'row_log' loop
        execute format('create trigger log_row after insert or update or delete on %I
          for each row execute function log_row()', one.tablename);
      end loop;
    end $$`)
    .simple()
}

/** Sends a message with a request for named events, and reads its whole stream. */
async function readStream(
  server: TestServer,
  person: Person,
  { query, body }: Pick<MessagePath, 'query' | 'body'>,
  traceparent: string,
): Promise<{ events: (string | undefined)[]; bytes: number }> {
  const parameters = new URLSearchParams({ org_id: person.organizationId, events: 'all', ...query })
  const { status, text } = await server.call('POST', `/api/chat/send_message?${parameters}`, {
    token: person.token,
    body,
    headers: { traceparent },
  })
  if (status !== 200) throw new Error(text)
  return { events: parseEvents(text).map(({ event }) => event), bytes: Buffer.byteLength(text) }
}
