import { describe, expect, test } from 'vitest'
import { nameToolsForModel } from './open-tools.ts'

const tool = (name: string, ownerId = 'one', prefix = ownerId) => ({ name, ownerId, prefix })

describe('tool names', () => {
  test.each<[string, ReturnType<typeof tool>[], string[]]>([
    ['are unchanged if they are unique', [tool('search'), tool('get-page')], ['search', 'get-page']],
    [
      'are prefixed only if several servers share them',
      [tool('search', 'github'), tool('fork', 'github'), tool('search', 'slack')],
      ['github_search', 'fork', 'slack_search'],
    ],
    [
      'are numbered for two accounts of one server',
      [tool('search', 'a', 'github'), tool('search', 'b', 'github')],
      ['github_search', 'github_search_2'],
    ],
    ['are made valid', [tool('files/read me'), tool('größe'), tool('')], ['files_read_me', 'gr__e', '_']],
    ['begin with a letter or underscore, as Google requires', [tool('2fa'), tool('-x')], ['_2fa', '_-x']],
    ['that become equal are made unique', [tool('a.b'), tool('a/b'), tool('a_b')], ['a_b', 'a_b_2', 'a_b_3']],
    [
      'of two servers that become equal are prefixed',
      [tool('a.b', 'one'), tool('a/b', 'two')],
      ['one_a_b', 'two_a_b'],
    ],
    [
      'that equal a prefixed name are made unique',
      [tool('x', 'one'), tool('x', 'two'), tool('one_x', 'three')],
      ['one_x', 'two_x', 'one_x_2'],
    ],
    [
      'are truncated and then made unique',
      [tool('x'.repeat(100)), tool(`${'x'.repeat(100)}y`)],
      ['x'.repeat(64), `${'x'.repeat(62)}_2`],
    ],
  ])('%s', (_what, tools, names) => {
    expect(nameToolsForModel(tools)).toEqual(names)
  })
})
