import type { Tool } from '@parley/client/schemas'
import { expect, test } from 'vitest'
import { fileOf, parseToolFile } from './tool-file.ts'

const TOOL = {
  name: 'Add',
  description: 'Adds',
  version: '1',
  configuration: [],
  inputs: [],
  outputs: { type: 'int', description: '' },
  category_id: 'c',
  settings: {
    function_info: { name: 'add', is_async: true, description: '', code: 'def add(): pass' },
    requirements: [],
    deployment: { framework: 'python', toolkit_class: false, standalone_function: true },
    network: [],
  },
} as unknown as Tool

test('a file has what another installation needs, and nothing that is of this one', () => {
  const text = JSON.stringify(fileOf(TOOL))
  expect(text).not.toContain('category')
  expect(parseToolFile(text)).toEqual(fileOf(TOOL))
})

test.each(['', '[]', '{"name": "x"}', 'null', '{"name": 1, "settings": {"function_info": {"code": ""}}}'])(
  'no tool: %s',
  (text) => {
    expect(() => parseToolFile(text)).toThrow('holds no tool')
  },
)
