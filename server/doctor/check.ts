import type { Config } from '#config'
import type { Net } from '#platform/net/index.ts'

export type Status = 'ok' | 'warning' | 'problem'

/** One result of a check: a line of the output. A warning or a problem says what to do. */
export interface Finding {
  status: Status
  message: string
}

export interface Surroundings {
  config: Config
  net: Net
}

/**
 * Checks one thing that the configuration names, without changing it. Returns nothing if the configuration does not use
 * it. Stops its requests when the signal aborts. An error that it throws becomes a problem.
 */
export interface Check {
  name: string
  run(surroundings: Surroundings, signal: AbortSignal): Promise<Finding[]>
}

/** A line of the output. */
export interface Line extends Finding {
  check: string
}

export const ok = (message: string): Finding => ({ status: 'ok', message })
export const warning = (message: string): Finding => ({ status: 'warning', message })
export const problem = (message: string): Finding => ({ status: 'problem', message })

/** Maximum time of one check. All checks run concurrently, so it also bounds all of them. */
export const CHECK_MS_MAX = 5_000

/** Runs all checks concurrently. Returns their lines in the order of the checks. */
export async function runChecks(checks: readonly Check[], surroundings: Surroundings): Promise<Line[]> {
  const lines = await Promise.all(
    checks.map(async (check) => {
      const findings = await runCheck(check, surroundings)
      return findings.map((finding) => ({ check: check.name, ...finding }))
    }),
  )
  return lines.flat()
}

async function runCheck(check: Check, surroundings: Surroundings): Promise<Finding[]> {
  const late = Promise.withResolvers<Finding[]>()
  const stop = new AbortController()
  const timer = setTimeout(() => {
    stop.abort()
    late.resolve([
      problem(
        `No result within ${CHECK_MS_MAX / 1000} seconds. Check that its address is right and not blocked by a firewall.`,
      ),
    ])
  }, CHECK_MS_MAX)
  try {
    return await Promise.race([check.run(surroundings, stop.signal), late.promise])
  } catch (error) {
    return [problem(`Failed: ${reasonOf(error)}`)]
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the most specific message of an error and its causes. */
export function reasonOf(error: unknown): string {
  const { message, code, cause, errors } = error as NodeJS.ErrnoException & { errors?: unknown[] }
  if (cause instanceof Error) return reasonOf(cause)
  if (errors?.[0]) return reasonOf(errors[0]) // every address of a name was tried
  return message || code || String(error)
}
