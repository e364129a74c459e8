import { createRandom } from '#tests/support/random.ts'
import { tryAll } from './attempts.ts'
import { accounts } from './oauth-accounts.ts'
import { OAUTH_BREAKS } from './oauth-breaks.ts'
import { codes, expiredCode } from './oauth-codes.ts'
import { consents } from './oauth-consents.ts'
import { registrations } from './oauth-registrations.ts'
import { authorizationRequests } from './oauth-requests.ts'
import { signIns } from './oauth-sign-ins.ts'
import { openOAuthStage } from './oauth-stage.ts'
import { tokens } from './oauth-tokens.ts'
import type { Row } from './row.ts'

/** Attacks the authorization server, the client of other authorization servers, and OpenID sign-in. */
export const oauth: Row = {
  name: 'oauth',
  cases: { full: Number.POSITIVE_INFINITY, commit: 80 },
  async run(main, { seed, cases }) {
    const stage = await openOAuthStage(main)
    try {
      // Only a full run waits until a code expires, which takes a minute.
      const late = cases === Number.POSITIVE_INFINITY ? [await expiredCode(stage)] : []
      const parts = [
        await authorizationRequests(stage),
        await registrations(stage),
        codes(stage),
        tokens(stage),
        await consents(stage),
        await accounts(stage),
        await signIns(stage),
      ]
      const genuine = parts.flatMap((part) => part.genuine)
      const random = createRandom(seed)
      const attacks = parts
        .flatMap((part) => part.attacks)
        .map((attempt) => ({ attempt, place: random() }))
        .sort((a, b) => a.place - b.place)
        .slice(0, Math.max(0, cases - genuine.length))
        .map(({ attempt }) => attempt)
      return await tryAll([...genuine, ...attacks, ...late])
    } finally {
      await stage.close()
    }
  },
  brokenBy: OAUTH_BREAKS,
}
