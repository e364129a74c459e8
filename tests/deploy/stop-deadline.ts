import { readFileSync } from 'node:fs'

/** Seconds after which a stopping process exits (server/main.ts). */
export const STOP_DEADLINE_SECONDS = Number(
  /STOP_DEADLINE_MS = (\d+)_000/.exec(readFileSync('server/main.ts', 'utf8'))?.[1] ?? Number.NaN,
)
