import { HIGHEST_ID } from '#database/new-id.ts'
import { sqlStateOf } from '#database/sql-state.ts'
import { type SystemStatements, type SystemTransaction, systemSql } from '#database/system-sql.ts'
import { WORDS_VERSION } from '#platform/retrieval/word-variants.ts'
import type { Services } from '#platform/services.ts'
import { BatchSize } from '#platform/sweeps/pacer.ts'
import { INDEXED_CHARACTERS_MAX, ownerMark, toVector } from './words.ts'

/*
 * Maintains chat_words, the search index of messages and titles, in the background. Storing a message doesn't write
 * to the index. Sweeps find missing entries in four ways:
 *
 * - Newest: each sweep checks the messages and chats whose ids are younger than five seconds by the database's clock. Once
 * a minute, and after a check that found more of them than a step takes, it checks those of two minutes.
 * - Unread: a long streaming reply or a changed title has a row without words. A sweep fills the row once the reply has
 * ended or the title is stored.
 * - Walk: the first walk checks all messages and titles from newest to oldest in bounded steps. Then it pauses and
 * starts over. Later walks end a day before the start of the last complete one, so their cost does not grow with the
 * history.
 * - Outdated: after an upgrade that changes the words (WORDS_VERSION), each entry is written again, newest first.
 *
 * The walk finds entries that the other ways miss, for three reasons: ids come from the clocks of processes, a
 * message may be stored later than its id says, and sweeps may have been interrupted. When a process starts, it ends
 * the pause, because a dead process may have left messages without entries. The walk also fills the index after an
 * upgrade. An entry is missing for at most one walk and one pause. To check all entries again, set `covered_at` to
 * null.
 *
 * A look without a lock finds whether there is anything to do. Each write is a short transaction under an advisory lock,
 * so that only one process at a time works on the index. The pacer sizes looks and writes, and delays them while replies
 * run. The lock only saves work: two processes would write equal rows.
 */

/** Key of the advisory lock, the same in every process. */
const INDEX_LOCK = 7_265_541
const NEWEST_SECONDS = 120
/** Time between the checks of NEWEST_SECONDS. The checks between them cover RECENT_SECONDS. */
const NEWEST_EVERY_MS = 60_000
const RECENT_SECONDS = 5
/** Time after which a reply that still streams gets a row without words. Most replies end earlier and need none. */
const LONG_REPLY_SECONDS = 60
/** A message is stored at most this long after the time in its id. */
const LATE_HOURS_MAX = 24
/** Pause after a walk, in hours. Much longer than a walk: PostgreSQL walks over a million messages in some seconds. */
const REST_HOURS = 6
/** Number of ids that a look checks, and of missing entries that it returns. */
const LOOK_IDS = { least: 200, most: 2_000 }
/**
 * Total cost of a transaction's entries: the bytes of their texts, and ENTRY_COST each. The least cost takes less time than
 * the statements of an empty transaction.
 */
const WRITE_COST = { least: 30_000, most: 100_000 }
const ENTRY_COST = 500

export interface MessageIndex {
  /** Returns the next step: entries to add or a part of the walk. Empty if there is nothing to do. */
  find(): Promise<Step[]>
  /** Takes the steps found, and more until no entry is missing or another process holds the lock. */
  sweep(found?: Step[]): Promise<void>
  /** Stops after the current transaction. */
  stop(): Promise<void>
}

export function createMessageIndex({ database, pacer }: Pick<Services, 'database' | 'pacer'>): MessageIndex {
  const sql = systemSql(database)
  const stopping = new AbortController()
  const looks = new BatchSize(LOOK_IDS)
  const writes = new BatchSize(WRITE_COST)
  let underWay: Promise<void> | undefined
  let hasStarted = false
  /** Time of the last check of NEWEST_SECONDS that left no entry for another step. */
  let newestCheckedAt = Number.NEGATIVE_INFINITY

  async function find(): Promise<Step[]> {
    if (!hasStarted) await sql`update chat_words_walk set rest_until = now()`
    hasStarted = true
    const now = performance.now()
    const checksNewest = now - newestCheckedAt >= NEWEST_EVERY_MS
    const step = await findStep(sql, checksNewest ? NEWEST_SECONDS : RECENT_SECONDS, looks.now)
    if (step.hasMoreNewest) newestCheckedAt = Number.NEGATIVE_INFINITY
    else if (checksNewest) newestCheckedAt = now
    return step.missing.length > 0 || step.below !== null ? [step] : []
  }
  async function run(found: Step[]): Promise<void> {
    for (let [step] = found; step && (await take(step)) && mayHaveMore(step); ) {
      const checked = step.checked
      await pacer.pace(
        looks,
        async () => {
          ;[step] = await find()
          return checked
        },
        stopping.signal,
      )
    }
  }
  /** Takes a step. Returns false if another process holds the lock. */
  async function take({ missing, below, checked }: Step): Promise<boolean> {
    let at = 0
    let isMine = true
    do {
      await pacer.pace(
        writes,
        (limit, starts) =>
          sql.begin(async (tx) => {
            starts()
            const [lock] = await tx<{ held: boolean }[]>`
              select pg_try_advisory_xact_lock(${INDEX_LOCK}) as held`
            isMine = lock?.held === true
            if (!isMine) return 0
            const { ids, cost } = nextWrite(missing.slice(at), limit)
            if (ids.length > 0) await storeAll(tx, ids)
            else if (below !== null) await walkOn(tx, below, checked)
            at += ids.length
            return cost
          }),
        stopping.signal,
      )
    } while (isMine && at < missing.length)
    return isMine
  }
  return {
    find,
    sweep(found) {
      underWay ??= (async () => run(found ?? (await find())))()
        .catch((error: unknown) => {
          if (!stopping.signal.aborted) throw error
        })
        .finally(() => {
          underWay = undefined
        })
      return underWay
    },
    async stop() {
      stopping.abort()
      await underWay?.catch(() => {})
    },
  }
}

interface Step {
  /** Messages and chats to index, with the bytes of a message's text. */
  missing: { id: string; bytes: number }[]
  /** The walk continues below this id. Null while it pauses. */
  below: string | null
  /** Number of ids that the walk has checked, and maximum number of missing entries. */
  checked: number
  /** True if the step has no room for all that is missing of the newest. */
  hasMoreNewest: boolean
}

const isFull = ({ missing, checked }: Step): boolean => missing.length === checked
const mayHaveMore = (step: Step): boolean => isFull(step) || step.below !== null

/** Returns the entries to write next, up to the cost, but at least one if any is missing. */
function nextWrite(missing: Step['missing'], costMax: number): { ids: string[]; cost: number } {
  const ids: string[] = []
  let cost = 0
  for (const { id, bytes } of missing) {
    const more = bytes + ENTRY_COST
    if (ids.length > 0 && cost + more > costMax) break
    ids.push(id)
    cost += more
  }
  return { ids, cost }
}

interface Source {
  id: string
  organization_id: string
  user_id: string
  chat_id: string
  /** Title of the chat. Null for a message. */
  title: string | null
  /** Text to index. Null for a reply that is still streaming. */
  text: string | null
  is_unsearched: boolean
}

interface Entry extends Omit<Source, 'text' | 'is_unsearched'> {
  words: string | null
}

/** All searchable rows: messages, and chats for their titles. */
const sources = (sql: SystemStatements) => sql`(
  select id, null::text as title, status from chat_messages union all select id, title, null from chats)`
const isMissing = (sql: SystemStatements) => sql`not exists (
  select from chat_words w where w.id = s.id and (w.words is null or w.title is not distinct from s.title))`
/** The lowest id of this many seconds ago. */
const idOf = (sql: SystemStatements, seconds: number) => sql`
  (lpad(to_hex(((extract(epoch from now()) - ${seconds}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`

/** For the row of chat_words_walk, or its absence: the walk continues below this id. Null while it pauses. */
const walkedTo = (sql: SystemStatements) => sql`
  case when chat_words_walk.below is null and coalesce(chat_words_walk.rest_until < now(), true) then ${HIGHEST_ID}::uuid
    else chat_words_walk.below end`

/** Returns the next step. It has at least one entry if any is missing among those that it checks. */
async function findStep(sql: SystemStatements, newestSeconds: number, limit: number): Promise<Step> {
  const [step] = await sql<Omit<Step, 'checked'>[]>`
    with walk as (
      select ${walkedTo(sql)} as below from (values (1)) as single (one) left join chat_words_walk using (one)),
    unread as (
      select w.id from chat_words w
      where w.words is null and (w.title is not null or exists (
        select from chat_messages m where m.chat_id = w.chat_id and m.id = w.id and m.status <> 'streaming'))
      order by w.id desc limit ${limit}),
    newest as (
      select s.id from ${sources(sql)} s
      where s.id >= ${idOf(sql, newestSeconds)} and ${isMissing(sql)}
        and (s.status is distinct from 'streaming' or s.id < ${idOf(sql, LONG_REPLY_SECONDS)})
      order by s.id desc limit ${limit}),
    walked as (
      select s.id from (
        select s.id, s.title from ${sources(sql)} s where s.id < (select below from walk)
        order by s.id desc limit ${limit}) s
      where ${isMissing(sql)} order by s.id desc limit ${limit}),
    outdated as (
      select w.id from chat_words w where w.version < 1 and w.version < ${WORDS_VERSION} and w.words is not null
      order by w.id desc limit ${limit}),
    missing as (
      (select id, 1 as turn from unread union all select id, 2 from newest union all select id, 3 from walked
        union all select id, 4 from outdated)
      order by turn, id desc limit ${limit})
    select coalesce(json_agg(json_build_object('id', id, 'bytes', bytes)), '[]') as missing, (select below from walk) as below,
      (select count(*) from unread) + (select count(*) from newest) >= ${limit} as "hasMoreNewest"
    from (
      select missing.id, coalesce(max(octet_length(m.content)), 0) as bytes
      from missing left join chat_messages m using (id) group by missing.id order by min(turn), missing.id desc) as sized`
  return { missing: [], below: null, hasMoreNewest: false, ...step, checked: limit }
}

/**
 * Reads the texts to index, except those that another process has indexed since. Conversations and sessions of
 * deployments are not searchable, so their entries get empty words.
 */
const readSources = (tx: SystemTransaction, ids: string[]): Promise<Source[]> => tx<Source[]>`
  select * from (
    select m.id, m.organization_id, m.user_id, m.chat_id, null as title,
      c.is_conversation or c.deployment_id is not null as is_unsearched,
      case when m.status <> 'streaming' then left(m.content, ${INDEXED_CHARACTERS_MAX}) end as text
    from chat_messages m
    join chats c on c.organization_id = m.organization_id and c.user_id = m.user_id and c.id = m.chat_id
    where m.id = any(${ids}::uuid[])
    union all
    select id, organization_id, user_id, id, title, is_conversation or deployment_id is not null, title from chats
    where id = any(${ids}::uuid[])) s
  where not exists (
    select from chat_words w
    where w.id = s.id and w.words is not null and w.title is not distinct from s.title
      and w.version >= ${WORDS_VERSION})`

function toEntry({ text, is_unsearched: isUnsearched, ...source }: Source): Entry {
  if (text === null) return { ...source, words: null }
  const mark = ownerMark({ organizationId: source.organization_id, userId: source.user_id })
  return { ...source, words: isUnsearched ? '' : toVector(mark, text) }
}

/** Indexes messages and chats. An outdated entry whose message is gone stays as it is, and no longer counts as outdated. */
async function storeAll(tx: SystemTransaction, ids: string[]): Promise<void> {
  await store(tx, (await readSources(tx, ids)).map(toEntry))
  await tx`
    update chat_words set version = ${WORDS_VERSION}
    where id = any(${ids}::uuid[]) and version < ${WORDS_VERSION} and words is not null`
}

/** Matches the SQLSTATE classes "data exception" and "program limit exceeded". */
const IS_REFUSED = /^(22|54)/

/**
 * Stores entries. If PostgreSQL rejects the words of an entry, that entry gets empty words and doesn't block others.
 */
async function store(tx: SystemTransaction, entries: Entry[]): Promise<void> {
  try {
    await tx.savepoint((inner) => write(inner, entries))
  } catch (error) {
    if (!IS_REFUSED.test(sqlStateOf(error) ?? '')) throw error
    const [only, ...more] = entries
    if (only && more.length === 0) await write(tx, [{ ...only, words: '' }])
    else for (const entry of entries) await store(tx, [entry])
  }
}

/**
 * Writes entries. Locks their chats (key share), so that a concurrent deletion of a chat also deletes its new entries.
 */
async function write(tx: SystemTransaction, entries: Entry[]): Promise<void> {
  await tx`
    insert into chat_words (id, organization_id, user_id, chat_id, title, words, version)
    select e.id, e.organization_id, e.user_id, e.chat_id, e.title, e.words::tsvector, ${WORDS_VERSION}
    from json_to_recordset(${JSON.stringify(entries)}::text::json)
      as e (id uuid, organization_id uuid, user_id uuid, chat_id uuid, title text, words text)
    join chats c on c.organization_id = e.organization_id and c.user_id = e.user_id and c.id = e.chat_id
    order by e.id for key share of c
    on conflict (id) do update set title = excluded.title, words = excluded.words, version = excluded.version`
}

/**
 * Advances the walk after a step without missing entries, unless another process has advanced it since. It ends at the
 * oldest message, or where the last complete walk has checked everything.
 */
async function walkOn(tx: SystemTransaction, below: string, checked: number): Promise<void> {
  await tx`
    with next as (
      select id from (
        select s.id from ${sources(tx)} s where s.id < ${below}::uuid order by s.id desc limit ${checked}) s
      order by id limit 1),
    floor as (
      select (lpad(to_hex(((extract(epoch from covered_at) - ${LATE_HOURS_MAX} * 3600) * 1000)::bigint), 12, '0')
        || repeat('0', 20))::uuid as id
      from chat_words_walk where covered_at is not null)
    insert into chat_words_walk (one, below, rest_until, begun_at)
    values (1, (select id from next where not exists (select from floor where floor.id > next.id)),
      now() + ${REST_HOURS} * interval '1 hour', now())
    on conflict (one) do update set below = excluded.below, rest_until = excluded.rest_until,
      begun_at = case when chat_words_walk.below is null then now() else chat_words_walk.begun_at end,
      covered_at = case when excluded.below is not null then chat_words_walk.covered_at
        when chat_words_walk.below is null then now() else chat_words_walk.begun_at end
    where ${walkedTo(tx)} = ${below}::uuid`
}
