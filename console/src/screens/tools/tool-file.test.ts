import type { Tool } from '@parley/client/schemas'
import { beforeAll, expect, test } from 'vitest'
import { loadText } from '../../messages/index.ts'
import { fileOf, parseToolFile } from './tool-file.ts'

beforeAll(() => loadText('rest'))

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

test('an exported file contains the whole tool, without references to the organization', () => {
  const text = JSON.stringify(fileOf(TOOL))
  expect(text).not.toContain('category')
  expect(parseToolFile(text)).toEqual(fileOf(TOOL))
})

test.each(['', '[]', '{"name": "x"}', 'null', '{"name": 1, "settings": {"function_info": {"code": ""}}}'])(
  'a file that is not a tool is refused: %s',
  (text) => {
    expect(() => parseToolFile(text)).toThrow('This isn’t a tool.')
  },
)
