import { beforeAll, describe, expect, it } from 'vitest'
import { loadText } from '../../messages/index.ts'
import { differencesOf } from './difference.ts'

beforeAll(() => loadText('rest'))

describe('the difference of two states of a record', () => {
  it('names only the fields that changed', () => {
    expect(differencesOf({ name: 'Ada', level: 10 }, { name: 'Ada', level: 20 })).toEqual([
      { field: 'level', before: '10', after: '20' },
    ])
  })

  it('has one value for created and deleted records', () => {
    expect(differencesOf(null, { role: 'member' })).toEqual([
      { field: 'role', before: undefined, after: 'member' },
    ])
    expect(differencesOf({ role: 'member' }, null)).toEqual([
      { field: 'role', before: 'member', after: undefined },
    ])
  })

  it('formats lists and booleans, and leaves out empty values', () => {
    const after = {
      permissions: ['kb:read', 'kb:write'],
      is_enabled: false,
      reason: null,
      note: '',
      tags: [],
    }
    expect(differencesOf(null, after)).toEqual([
      { field: 'permissions', before: undefined, after: 'kb:read, kb:write' },
      { field: 'is_enabled', before: undefined, after: 'No' },
    ])
  })

  it('formats timestamps, but not other strings', () => {
    const [time, day] = differencesOf(null, { expires_at: '2027-02-20T13:45:11.828Z', day: '2027-02-20' })
    expect(time?.after).toMatch(/2027, /)
    expect(day?.after).toBe('2027-02-20')
  })

  it('formats nested values as JSON', () => {
    expect(differencesOf(null, { config: { model: 'm' } })[0]?.after).toBe('{\n  "model": "m"\n}')
  })
})
