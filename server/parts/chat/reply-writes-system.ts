import type { Database } from '#database/connect.ts'
import { grouped, toRows } from '#database/grouped.ts'
import type { Citation, StoredFailure, StoredMedia, StoredToolCall } from '#database/schema/chat.ts'
import { type SystemSql, systemSql } from '#database/system-sql.ts'
import { queueAnnounced } from '#platform/events/outbox.ts'
import { type Expect, GROUP_MAX, groupedOpening } from '#platform/ledger/grouped-opening.ts'
import { closeHolds, type HoldRefusal, openHolds } from '#platform/ledger/hold-statements.ts'
import type { Answered, NewHold } from '#platform/ledger/ledger.ts'
import { retryStale, STALE } from '#platform/ledger/retry-stale.ts'
import type { FinishReason } from '#platform/models/types.ts'

/**
 * A reply to start, with its hold. All ids are generated in advance, so that one statement can write all rows. The
 * hold's model and agent are also stored with the chat and its messages.
 */
export interface NewReply extends NewHold {
  user_id: string
  chat_id: string
  /**
   * Session of a conversation that receives the reply. A session has at most one reply in progress. Null outside
   * conversations.
   */
  session_id: string | null
  new_chat: boolean
  title: string
  /**
   * Last message of the chat's active branch when the reply was prepared. If the branch ends with another message
   * now, the reply is not started. Ignored with a session, because replies in a conversation don't wait for each
   * other.
   */
  expected_leaf_id: string | null
  parent_message_id: string | null
  user_message_id: string
  /** False if the reply answers a stored message of the user again. */
  new_user_message: boolean
  content: string
  /** Ids of the attachments of the user's message. */
  upload_ids: string[] | null
  message_id: string
  /** Citations of the passages in the prompt. */
  citations: Citation[] | null
  /** The deployment's visitor who sent the message. Null for members and the deployment's key. */
  visitor_id: string | null
  idempotency_key: string | null
  request_hash: string | null
}

/** Outcome of starting a reply. Nothing was written unless the outcome is `started`. */
export type Start = 'started' | 'busy' | 'moved' | 'no chat' | 'repeated' | HoldRefusal

/** The final state of a reply. If `input_tokens` is null, the hold is released; otherwise the usage is debited. */
export interface ReplyEnd extends Answered {
  hold_id: string
  entry_id: string
  chat_id: string | null
  message_id: string | null
  status: 'complete' | 'stopped' | 'error'
  content: string
  reasoning: string | null
  media: StoredMedia[] | null
  /** Ids of the files in the results of tools. */
  upload_ids: string[] | null
  /** All tool calls of the reply. Null keeps the stored tool calls. */
  tool_calls: StoredToolCall[] | null
  error: string | null
  /** Omitted if the reply did not fail. */
  failure?: StoredFailure
  /** Null if unknown, and unless the status is `complete`. */
  finish_reason: FinishReason | null
  input_tokens: number | null
  output_tokens: number | null
}

export interface ReplyGrowth {
  message_id: string
  /** True if `content` and `reasoning` replace the stored values. False if they are appended. */
  from_start: boolean
  content: string
  reasoning: string
  /** All tool calls so far. Null keeps the stored tool calls. */
  tool_calls: StoredToolCall[] | null
}

/**
 * Writes the start, growth and end of replies. Concurrent starts are batched into one statement, and so are concurrent
 * ends (see grouped). The statement includes the ledger entries, so that a message and its hold, or a reply and its
 * debit, are stored together or not at all. The statements span organizations and bypass the scoped database, so every
 * id must come from a Scope.
 */
export interface ReplyWrites {
  start(reply: NewReply, expect: Expect): Promise<Start>
  grow(growth: ReplyGrowth[]): Promise<void>
  /** Ends a reply. Returns false if the reply had already ended, for example by another process. */
  end(reply: ReplyEnd): Promise<boolean>
  /** Returns whether this end is stored. An attempt may fail after its commit, if the database stops responding. */
  isEnded(reply: ReplyEnd): Promise<boolean>
  /** Requests a stop of the replies in a chat, in any process. Returns false if there are none. */
  requestStop(chat: { organizationId: string; chatId: string }): Promise<boolean>
  /** Requests a stop of all replies of a deployment. */
  requestStopOf(deployment: { organizationId: string; deploymentId: string }): Promise<void>
  /** Returns the ids of replies whose stop was requested. */
  stopRequested(messageIds: string[]): Promise<string[]>
}

export function createReplyWrites(database: Database, instanceId: string): ReplyWrites {
  const sql = systemSql(database)
  return {
    start: groupedOpening((replies: NewReply[], areLimited) =>
      startReplies(sql, instanceId, replies, areLimited),
    ),
    end: grouped((replies) => retryStale(replies, (some) => endReplies(sql, some)), GROUP_MAX),
    async isEnded({ entry_id: entryId }) {
      const entries = await sql`select from ledger_entries where id = ${entryId}`
      return entries.count > 0
    },
    async grow(growth) {
      // Skips locked rows. Their replies are being ended, so they need no growth. Waiting for them could deadlock,
      // because the statements that end replies also lock many rows.
      await sql`
        with growth as (
          select * from json_to_recordset(${JSON.stringify(growth)}::text::json)
            as g (message_id uuid, from_start boolean, content text, reasoning text, tool_calls jsonb)),
        growing as (
          select id from chat_messages where id in (select message_id from growth) and status = 'streaming'
          for no key update skip locked)
        update chat_messages as m
        set content = case when g.from_start then '' else m.content end || g.content,
          reasoning = nullif(case when g.from_start then '' else coalesce(m.reasoning, '') end || g.reasoning, ''),
          tool_calls = coalesce(g.tool_calls, m.tool_calls)
        from growth g join growing on growing.id = g.message_id
        where m.id = g.message_id and m.status = 'streaming'`
    },
    async requestStop({ organizationId, chatId }) {
      const requested = await sql`
        update open_holds set stop_requested = true
        where organization_id = ${organizationId} and chat_id = ${chatId} and message_id is not null`
      return requested.count > 0
    },
    async requestStopOf({ organizationId, deploymentId }) {
      await sql`
        update open_holds set stop_requested = true
        where organization_id = ${organizationId} and deployment_id = ${deploymentId}`
    },
    async stopRequested(messageIds) {
      const rows = await sql<{ message_id: string }[]>`
        select message_id from open_holds
        where instance_id = ${instanceId} and stop_requested and message_id = any(${messageIds}::uuid[])`
      return rows.map((row) => row.message_id)
    },
  }
}

async function startReplies(
  sql: SystemSql,
  instanceId: string,
  replies: NewReply[],
  areLimited: boolean,
): Promise<(Start | typeof STALE)[]> {
  const rows = await sql<{ ordinal: number; start: Start | typeof STALE }[]>`
    with wanted as (
      select * from json_to_recordset(${toRows(replies)}::text::json) as r (
        ordinal int, hold_id uuid, organization_id uuid, user_id uuid, api_key_id uuid, chat_id uuid, session_id uuid, new_chat boolean,
        title text, expected_leaf_id uuid, parent_message_id uuid, user_message_id uuid, new_user_message boolean, content text,
        upload_ids uuid[], message_id uuid, citations jsonb,
        model_id uuid, agent_id uuid, deployment_id uuid, visitor_id text,
        input_ratio numeric, output_ratio numeric, input_expected numeric, output_max numeric, member_ids uuid[], reason text, idempotency_key text, request_hash text)),
    chat as (
      select id, organization_id, user_id, active_reply_id, leaf_message_id from chats
      where id = any (array(select chat_id from wanted where not new_chat)) and status <> 'DELETED'
      order by id for no key update),
    session as (
      -- The join locks the chat first: sessions change only under its lock.
      select s.id, s.active_reply_id from conversation_sessions s join chat on chat.id = s.conversation_id
      where s.id in (select session_id from wanted) for no key update of s),
    judged as (
      select wanted.*, case
        when exists (select from reply_keys k
          where k.user_id = wanted.user_id and k.key = wanted.idempotency_key) then 'repeated'
        when new_chat then 'ready'
        when chat.id is null then 'no chat'
        when session_id is not null and session.id is null then 'no chat'
        when session.active_reply_id is not null then 'busy'
        when session_id is not null then
          case when row_number() over (partition by session_id order by ordinal) > 1 then 'busy' else 'ready' end
        when chat.active_reply_id is not null then 'busy'
        when row_number() over (partition by chat_id order by ordinal) > 1 then 'busy'
        when chat.leaf_message_id is distinct from wanted.expected_leaf_id then 'moved'
        else 'ready' end as judgement
      from wanted left join chat
        on chat.id = wanted.chat_id and chat.organization_id = wanted.organization_id
        and chat.user_id = wanted.user_id
      left join session on session.id = wanted.session_id),
    ready as (select * from judged where judgement = 'ready'),
    ${openHolds(sql, instanceId, { areMessages: true, areLimited })},
    new_chat as (
      insert into chats (id, organization_id, user_id, title, status, model_id, agent_id, deployment_id, visitor_id,
        leaf_message_id, active_reply_id, message_count, last_message_at)
      select chat_id, organization_id, user_id, title, 'ACTIVE', model_id, agent_id, deployment_id, visitor_id,
        message_id, message_id, 1, now()
      from admitted where new_chat),
    newest as (
      select distinct on (chat_id) chat_id, session_id, model_id, agent_id, message_id,
        count(*) filter (where new_user_message) over (partition by chat_id) as questions
      from admitted where not new_chat order by chat_id, ordinal desc),
    used_chat as (
      update chats set model_id = newest.model_id, agent_id = newest.agent_id, leaf_message_id = newest.message_id,
        active_reply_id = case when newest.session_id is null then newest.message_id end, last_message_at = now(),
        message_count = message_count + newest.questions, updated_at = now()
      from newest where chats.id = newest.chat_id),
    used_session as (
      update conversation_sessions s set active_reply_id = admitted.message_id
      from admitted where s.id = admitted.session_id),
    new_message as (
      insert into chat_messages
        (id, organization_id, user_id, chat_id, parent_message_id, role, content, status, model_id, agent_id,
          upload_ids, citations)
      select user_message_id, organization_id, user_id, chat_id, parent_message_id, 'user', content, 'complete',
        model_id, agent_id, upload_ids, null
      from admitted where new_user_message
      union all
      select message_id, organization_id, user_id, chat_id, user_message_id, 'assistant', '', 'streaming', model_id,
        agent_id, null, citations
      from admitted),
    new_key as (
      insert into reply_keys (organization_id, user_id, key, request_hash, chat_id, message_id)
      select organization_id, user_id, idempotency_key, request_hash, chat_id, message_id
      from admitted where idempotency_key is not null)
    select judged.ordinal, case judgement when 'ready' then coalesce(refusal, 'started') else judgement end as start
    from judged left join (select hold_id, refusal from weighed) as weighed using (hold_id)`
  const byOrdinal = new Map(rows.map(({ ordinal, start }) => [ordinal, start]))
  return replies.map((_, ordinal) => byOrdinal.get(ordinal) as Start | typeof STALE)
}

async function endReplies(sql: SystemSql, replies: ReplyEnd[]): Promise<(boolean | typeof STALE)[]> {
  const [row] = await sql<{ closed: string[]; missed: number[] }[]>`
    with ending as (
      select * from json_to_recordset(${toRows(replies)}::text::json) as r (
        ordinal int, hold_id uuid, entry_id uuid, chat_id uuid, message_id uuid, status text, content text,
        reasoning text, media jsonb, upload_ids uuid[], tool_calls jsonb, error text, failure jsonb, finish_reason text, input_tokens int, output_tokens int,
        answered_model_id uuid, answered_input_ratio numeric, answered_output_ratio numeric)),
    chat as (
      select id, is_conversation, active_reply_id from chats
      where id = any (array(select chat_id from ending)) order by id for no key update),
    closing as (
      select ending.*, chat.id as locked_chat_id, ending.error as reason
      from ending left join chat on chat.id = ending.chat_id),
    ${closeHolds(sql, conversationEvents(sql))},
    ended_message as (
      update chat_messages as m set status = e.status, content = e.content, reasoning = e.reasoning,
        media = e.media, upload_ids = e.upload_ids, tool_calls = coalesce(e.tool_calls, m.tool_calls),
        model_id = closed.model_id, error = e.error, failure = e.failure, finish_reason = e.finish_reason,
        input_tokens = e.input_tokens, output_tokens = e.output_tokens,
        credits = case when e.input_tokens is not null then -closed.amount end
      from ending e join closed using (hold_id)
      where m.id = e.message_id and m.status = 'streaming'),
    idle_session as (
      update conversation_sessions s set active_reply_id = null
      from closed where s.conversation_id = closed.chat_id and s.active_reply_id = closed.message_id
      returning closed.hold_id),
    spent as (
      select chat_id, sum(coalesce(input_tokens, 0)) as input_tokens, sum(coalesce(output_tokens, 0)) as output_tokens,
        sum(amount) as amount
      from closed join chat on chat.id = chat_id
      where active_reply_id = message_id or hold_id in (select hold_id from idle_session) group by chat_id),
    idle_chat as (
      update chats set active_reply_id = null, input_tokens = chats.input_tokens + spent.input_tokens,
        output_tokens = chats.output_tokens + spent.output_tokens, credits = chats.credits - spent.amount,
        last_message_at = now(), updated_at = now()
      from spent where chats.id = spent.chat_id)
    select array(select hold_id from closed) as closed, array(select ordinal from missed) as missed,
      ${queueAnnounced(sql)}`
  const [closed, missed] = [new Set(row?.closed), new Set(row?.missed)]
  return replies.map((reply, ordinal) => (missed.has(ordinal) ? STALE : closed.has(reply.hold_id)))
}

/**
 * Events for the ended replies of conversations, whose chats have a row in `chat`. The join with `account` ensures
 * that accounts are locked before webhooks.
 */
const conversationEvents = (sql: SystemSql) => sql`
  select closed.organization_id, 'conversation.updated' as event_type, jsonb_build_object('conversation_id', chat.id,
    'change', 'message', 'message_id', closed.message_id, 'status', ending.status) as data, closed.ordinal
  from closed join account using (organization_id)
  join chat on chat.id = closed.chat_id and chat.is_conversation
  join ending on ending.hold_id = closed.hold_id`
