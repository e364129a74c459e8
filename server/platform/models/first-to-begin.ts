import type { ModelHealth } from './health.ts'
import { ModelError, type ModelTarget } from './types.ts'

/**
 * Calls the members of a route in order, until one of them begins its output. Skips members that are down, unless all
 * of them are: then tries the first one. If a member fails before its output, tries the next one at once. A request
 * that a provider refuses fails at once, because it would fail again.
 *
 * `call` receives whether its member is the last one. Only the last one may wait for a Retry-After. Rejects like the
 * last call.
 */
export async function firstToBegin<Member extends { target: ModelTarget }, Result>(
  health: Pick<ModelHealth, 'isOpen'>,
  members: readonly [Member, ...Member[]],
  call: (member: Member, isLast: boolean) => Promise<Result>,
  hasBegun: () => boolean = () => false,
): Promise<Result> {
  const working = members.length === 1 ? members : members.filter(({ target }) => !health.isOpen(target))
  const [first = members[0], ...others] = working
  let member = first
  for (const next of others) {
    try {
      return await call(member, false)
    } catch (error) {
      if (hasBegun() || !(error instanceof ModelError) || error.kind === 'request') throw error
      member = next
    }
  }
  return call(member, true)
}

/** Calls the members like `firstToBegin`, for results without a stream. Adds the member that answered to the result. */
export const firstToAnswer = <Member extends { target: ModelTarget }, Result extends object>(
  health: Pick<ModelHealth, 'isOpen'>,
  members: readonly [Member, ...Member[]],
  call: (target: ModelTarget) => Promise<Result>,
): Promise<Result & { answered: Member }> =>
  firstToBegin(health, members, async (member) => ({ ...(await call(member.target)), answered: member }))
