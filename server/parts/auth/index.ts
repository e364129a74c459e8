import type { Services } from '#platform/services.ts'
import { repeat } from '#platform/sweeps/repeat.ts'
import { forgetPastDays } from '../invitations/index.ts'
import { forgetExpired } from './sessions-system.ts'

export { ensureAdministrator, setAdministrator } from './administrator-system.ts'
export { resetRequests } from './mailed-links-system.ts'
export { resetFactors } from './manage-factors-system.ts'
export { authRoutes } from './routes.ts'

const SWEEP_MS = 3_600_000

/** Starts the periodic deletion of expired records. Returns a function that stops it. */
export const startAuthSweep = ({ database, log }: Services): (() => void) =>
  repeat(
    SWEEP_MS,
    async () => {
      await forgetExpired(database)
      await forgetPastDays(database)
    },
    { log, message: 'session sweep failed' },
  )
