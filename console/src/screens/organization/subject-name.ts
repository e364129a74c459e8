import type { Budget } from '@parley/client/schemas'
import { useMemberNames } from '../people/member-names.ts'
import { useKeyNames } from './key-names.ts'

/** Whose a budget is. */
export function useSubjectName(): (budget: Pick<Budget, 'user_id' | 'api_key_id'>) => string {
  const { nameOf } = useMemberNames()
  const { keyNameOf } = useKeyNames()
  return ({ user_id, api_key_id }) =>
    user_id !== null ? (nameOf(user_id) ?? 'A member') : `API key ${keyNameOf(api_key_id ?? '') ?? ''}`.trim()
}
