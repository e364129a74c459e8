import type { Budget } from '@parley/client/schemas'
import { translator } from '../../messages/index.ts'
import { useMemberNames } from '../people/member-names.ts'
import { useKeyNames } from './key-names.ts'

const t = translator('billing')

/** Returns a function that returns the name of a budget's member or API key. */
export function useSubjectName(): (budget: Pick<Budget, 'user_id' | 'api_key_id'>) => string {
  const { nameOf } = useMemberNames()
  const { keyNameOf } = useKeyNames()
  return ({ user_id, api_key_id }) => {
    if (user_id !== null) return nameOf(user_id) ?? t('subject.member')
    const key = keyNameOf(api_key_id ?? '')
    return key === null ? t('subject.unknownKey') : t('subject.key', { name: key })
  }
}
