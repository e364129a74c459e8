import { describe, expect, it } from 'vitest'
import { differencesOf } from './difference.ts'

describe('the difference of two sides of a record', () => {
  it('names what changed, and only that', () => {
    expect(differencesOf({ name: 'Ada', level: 10 }, { name: 'Ada', level: 20 })).toEqual([
      { field: 'level', before: '10', after: '20' },
    ])
  })

  it('has one side of what was made or deleted', () => {
    expect(differencesOf(null, { role: 'member' })).toEqual([
      { field: 'role', before: undefined, after: 'member' },
    ])
    expect(differencesOf({ role: 'member' }, null)).toEqual([
      { field: 'role', before: 'member', after: undefined },
    ])
  })

  it('reads as words: lists, truth, nothing', () => {
    const after = {
      permissions: ['kb:read', 'kb:write'],
      is_enabled: false,
      reason: null,
      note: '',
      tags: [],
    }
    expect(differencesOf(null, after)).toEqual([
      { field: 'permissions', before: undefined, after: 'kb:read, kb:write' },
      { field: 'is_enabled', before: undefined, after: 'no' },
    ])
  })

  it('writes a time as people do, and leaves other texts alone', () => {
    const [time, day] = differencesOf(null, { expires_at: '2027-02-20T13:45:11.828Z', day: '2027-02-20' })
    expect(time?.after).toMatch(/2027, /)
    expect(day?.after).toBe('2027-02-20')
  })

  it('shows what is nested as JSON', () => {
    expect(differencesOf(null, { config: { model: 'm' } })[0]?.after).toBe('{\n  "model": "m"\n}')
  })
})
