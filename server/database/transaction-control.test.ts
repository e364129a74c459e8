import { expect, test } from 'vitest'
import { assertNoTransactionControl } from './transaction-control.ts'

test.each([
  'begin',
  '  BEGIN; select 1; COMMIT;',
  'select 1; commit',
  'select 1;\n  Start  Transaction',
  'rollback to first',
  "select 'it''s'; end",
  'do $$ begin null; end $$; abort',
  "prepare transaction 'a'",
])('refuses %j in a script', (text) => {
  expect(() => assertNoTransactionControl(text, true)).toThrow('begins or ends a transaction')
})

test.each([
  'select 1',
  'select case when true then 1 end',
  "insert into notes values ('first; commit'); select 1",
  'create function f() returns void as $body$ begin perform 1; end; $body$ language plpgsql; select 1',
  'select beginning from committed',
  'set local lock_timeout = 1; select 1',
])('accepts %j in a script', (text) => {
  expect(() => assertNoTransactionControl(text, true)).not.toThrow()
})

test('refuses a single statement only by its first word', () => {
  expect(() => assertNoTransactionControl('commit', false)).toThrow('begins or ends a transaction')
  expect(() => assertNoTransactionControl("select '; commit'", false)).not.toThrow()
})
