import { describe, expect, test } from 'vitest'
import { fail } from '#errors'
import { nameField } from './name-field.ts'

const ID = '0195f3c4-8a5e-7cc3-9e0f-00000000002a'
const OTHER = '0195f3c4-8a5e-7cc3-9e0f-00000000002b'

describe('the field of a value that was not found', () => {
  test.each<[where: string, query: object, body: unknown, field: string]>([
    ['the usual field of the query', { kb_id: ID }, undefined, 'kb_id'],
    ['the usual field of the body', { org_id: OTHER }, { kb_id: ID }, 'kb_id'],
    ['another field of the query', { session_id: ID }, undefined, 'session_id'],
    ['another field of the body', {}, { embedding_model: ID }, 'embedding_model'],
    ['an entry of a list', {}, { knowledge_base_ids: [OTHER, ID] }, 'knowledge_base_ids.1'],
    [
      'a field of an object in a list',
      {},
      { tools: [{ tool_id: OTHER }, { tool_id: ID }] },
      'tools.1.tool_id',
    ],
    [
      'deep below',
      {},
      { config: { route: { members: [{ model_id: ID }] } } },
      'config.route.members.0.model_id',
    ],
    ['in uppercase', { session_id: ID.toUpperCase() }, undefined, 'session_id'],
    ['the usual field, although another has it as well', { a: ID }, { kb_id: ID }, 'kb_id'],
    ['no field', { org_id: OTHER }, { name: 'a' }, 'kb_id'],
    ['no body', {}, null, 'kb_id'],
    ['a body that is not JSON', {}, Buffer.from(ID), 'kb_id'],
  ])('%s', (_, query, body, field) => {
    const error = nameField(fail('kb.not_found', { value: ID }), { query, body, params: {} })
    expect(error.values).toEqual({ field, value: ID })
    expect(error.message).toBe(`Knowledge base not found: ${field} ${ID}`)
  })
})

test('a parameter of the path', () => {
  const request = { query: {}, params: { file_id: ID }, body: undefined }
  expect(nameField(fail('upload.not_found', { value: ID }), request).values?.['field']).toBe('file_id')
})

test('a long name is found, and shortened only in the error', () => {
  const name = 'n'.repeat(500)
  const request = { query: {}, params: {}, body: { model: name } }
  expect(nameField(fail('llm.not_found', { value: name }), request).values).toEqual({
    field: 'model',
    value: `${'n'.repeat(100)}…`,
  })
})

test('the cause stays, and other errors stay as they are', () => {
  const cause = new Error('cause')
  const request = { query: { session_id: ID }, params: {}, body: undefined }
  expect(nameField(fail('chat.not_found', { value: ID }, { cause }), request).cause).toBe(cause)
  const other = fail('rate.limited', { rate: ID, wait: ID })
  expect(nameField(other, request)).toBe(other)
})
