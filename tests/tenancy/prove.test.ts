import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemSql } from '#database/system-sql.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { type Catalogue, readCatalogue } from './catalogue.ts'
import { prove } from './prove.ts'

/**
 * Statements that the prover accepts and refuses. $1 is the organization, $2 the user; all other parameters can have
 * any value.
 */

let server: TestServer
let catalogue: Catalogue
beforeAll(async () => {
  server = await startTestServer()
  catalogue = await readCatalogue(systemSql(server.server.services.database))
})
afterAll(() => server.stop())

const PARAMS = { organization: new Set([1]), user: new Set([2]) }
const wrongWith = (text: string): string[] => prove(text, PARAMS, catalogue)

describe('proven', () => {
  test.each([
    'select id from agents where organization_id = $1',
    'select id from agents where $1::uuid = organization_id and name = $3',
    'select id from chats where organization_id = $1 and user_id = $2',
    'select id from chats where (organization_id, user_id, id) = ($1, $2, $3)',
    'select id from agents where organization_id = $1 or is_public',
    'select id from chats where coalesce((organization_id, user_id) = ($1, $2), false)',
    'select id from language_models where organization_id = $1 or organization_id is null',
    // Bound through a composite foreign key, in both directions, and through the key of the same row.
    'select m.id from chats c join chat_messages m on m.chat_id = c.id where c.organization_id = $1 and c.user_id = $2',
    `select c.id from chats c join chat_messages m on m.chat_id = c.id
      where m.organization_id = $1 and m.user_id = $2`,
    `with own as (select id from agents where organization_id = $1)
      update agents a set name = $3 from own where a.id = own.id`,
    // Each level must be bound separately: subqueries, unions, outer joins, exists.
    `select id from agents a where a.organization_id = $1 and exists (
      select from agent_deployments d where d.agent_id = a.id and d.organization_id = a.organization_id)`,
    'select id from agents where organization_id = $1 union all select id from tools where organization_id = $1',
    `select a.id from agents a left join agent_tools t on t.organization_id = a.organization_id and t.agent_id = a.id
      where a.organization_id = $1`,
    `select id from agents where organization_id = $1
      and id in (select agent_id from agent_deployments where organization_id = $1)`,
    `with recursive branch as (
      select id, parent_message_id from chat_messages where organization_id = $1 and user_id = $2 and id = $3
      union all select m.id, m.parent_message_id from branch b
        join chat_messages m on m.id = b.parent_message_id and m.organization_id = $1 and m.user_id = $2)
      select id from branch`,
    'insert into chats (organization_id, user_id, id, title) values ($1, $2, $3, $4)',
    `insert into agent_tools (organization_id, agent_id, tool_id, position, config)
      select organization_id, id, $3, 0, '' from agents where organization_id = $1 and id = $4`,
    'delete from agents where organization_id = $1 and id = $3 returning name',
    'select name from permissions',
    // Rows that have a knowledge base's id instead of an organization's.
    'select number from kb_vectors where kb_id in (select id from knowledge_bases where id = $3 and organization_id = $1)',
    `select v.number from kb_vectors v join knowledge_bases k on k.id = v.kb_id
      where k.organization_id = $1 and v.kb_id = $3`,
    `with old as (
      delete from kb_postings where segment = 1
        and kb_id in (select id from knowledge_bases where id = $3 and organization_id = $1)
      returning kb_id, term, postings)
      insert into kb_postings (kb_id, term, segment, postings) select kb_id, term, 2, postings from old`,
  ])('%s', (text) => {
    expect(wrongWith(text)).toEqual([])
  })
})

describe('refused', () => {
  test.each([
    ['select id from agents', 'agents agents is not bound to the organization'],
    ['select id from agents where id = $3', 'agents agents is not bound to the organization'],
    ['select id from agents where organization_id = $3', 'agents agents is not bound to the organization'],
    ['select id from agents where organization_id <> $1', 'agents agents is not bound to the organization'],
    [
      'select id from agents where not (organization_id = $1)',
      'agents agents is not bound to the organization',
    ],
    [
      'select id from agents where organization_id = $1 or id = $3',
      'agents agents is not bound to the organization',
    ],
    [
      'select id from agents where organization_id = any($1)',
      'agents agents is not bound to the organization',
    ],
    ['select id from chats where organization_id = $1', 'chats chats is not bound to the user'],
    [
      'select a.id from agents a, tools t where a.organization_id = $1 and t.id = $3',
      'tools t is not bound to the organization',
    ],
    // One alternative of an OR binds nothing outside of it, even with a subquery.
    [
      'select id from agents a where a.name = $3 or exists (select from tools t where t.organization_id = $1 and a.organization_id = $1)',
      'agents a is not bound to the organization',
    ],
    // The condition of an outer join removes no row of its left side, and a subquery's condition removes no outer
    // row.
    [
      'select a.id from agents a left join tools t on a.organization_id = $1 and t.organization_id = $1',
      'agents a is not bound to the organization',
    ],
    [
      'select id from agents a where not exists (select from tools t where t.organization_id = $1 and a.organization_id = $1)',
      'agents a is not bound to the organization',
    ],
    [
      'select id, (select count(*) from tools) from agents where organization_id = $1',
      'tools tools is not bound to the organization',
    ],
    [
      'select id from agents where organization_id = $1 union all select id from tools',
      'tools tools is not bound to the organization',
    ],
    ['update agents set name = $3 where id = $4', 'agents agents is not bound to the organization'],
    [
      'update agents set organization_id = $3 where organization_id = $1',
      'agents.organization_id is changed',
    ],
    ['delete from agents where id = $3', 'agents agents is not bound to the organization'],
    [
      'insert into agents (organization_id, id) values ($1, $3), ($4, $5)',
      'a row of agents is written without the organization',
    ],
    [
      'insert into agents (id) select id from tools where organization_id = $1',
      'a row of agents is written without the organization',
    ],
    [
      'insert into agents (organization_id, id) values ($1, $3) on conflict (id) do update set name = $4',
      'agents agents is not bound to the organization',
    ],
    [
      'select number from kb_vectors where kb_id = $3',
      'kb_vectors kb_vectors is not bound to the knowledge_bases',
    ],
    [
      'select number from kb_vectors where kb_id in (select id from knowledge_bases where id = $3)',
      'kb_vectors kb_vectors is not bound to the knowledge_bases',
    ],
    [
      'select v.number from kb_vectors v, knowledge_bases k where k.organization_id = $1 and v.kb_id = k.created_by',
      'kb_vectors v is not bound to the knowledge_bases',
    ],
    [
      'select v.number from kb_vectors v left join knowledge_bases k on k.id = v.kb_id and k.organization_id = $1',
      'kb_vectors v is not bound to the knowledge_bases',
    ],
    [
      "insert into kb_postings (kb_id, term, segment, postings) values ($3, 'a', 1, '')",
      'a row of kb_postings is written without the knowledge_bases',
    ],
    [
      `update kb_vectors set kb_id = $3
        where kb_id in (select id from knowledge_bases where id = $4 and organization_id = $1)`,
      'kb_vectors.kb_id is changed',
    ],
    ['truncate agents', 'TruncateStmt is no statement of a tenant'],
    [
      'merge into agents a using tools t on a.id = t.id when matched then delete',
      'MergeStmt is no statement of a tenant',
    ],
  ])('%s', (text, wrong) => {
    expect(wrongWith(text)).toContain(wrong)
  })
})
