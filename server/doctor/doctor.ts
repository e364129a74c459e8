import { type Config, ConfigError, readConfig } from '#config'
import { createNet } from '#platform/net/index.ts'
import { hideSecrets } from '#platform/secrets/hide-secrets.ts'
import { addressChecks } from './address.ts'
import { type Check, type Line, runChecks } from './check.ts'
import { clockCheck } from './clock.ts'
import { dataDirCheck } from './data-dir.ts'
import { databaseCheck } from './database.ts'
import { mailCheck } from './mail.ts'
import { providersCheck } from './providers.ts'
import { redisCheck } from './redis.ts'
import { runtimeCheck, sandboxCheck } from './runtime.ts'
import { bucketCheck } from './storage.ts'

const CHECKS: readonly Check[] = [
  runtimeCheck,
  dataDirCheck,
  databaseCheck,
  redisCheck,
  bucketCheck,
  mailCheck,
  clockCheck,
  providersCheck,
  ...addressChecks,
  sandboxCheck,
]
/** Shorter than the time of a check, so that a check can say that the connection timed out. */
const CONNECT_TIMEOUT_MS = 4_000

/** Checks an installation without changing it. Returns one line per finding, without secrets. */
export async function examine(environment: NodeJS.ProcessEnv): Promise<Line[]> {
  let config: Config
  try {
    config = readConfig(environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [{ check: 'configuration', status: 'problem', message: error.message }]
  }
  const net = createNet({ allowPrivateNetwork: true, connectTimeoutMs: CONNECT_TIMEOUT_MS })
  const lines = await runChecks(CHECKS, { config, net })
  await net.close()
  const hide = hideSecrets(config)
  return [
    { check: 'configuration', status: 'ok', message: 'All variables are valid.' },
    ...lines.map((line) => ({ ...line, message: hide(line.message) })),
  ]
}

const WIDTH = Math.max(...CHECKS.map(({ name }) => name.length), 'configuration'.length)

/** `parley doctor [--json]`. Returns whether there is no problem. */
export async function runDoctor(
  environment: NodeJS.ProcessEnv,
  { json }: { json: boolean },
  write: (text: string) => void,
): Promise<boolean> {
  const lines = await examine(environment)
  const problems = lines.filter(({ status }) => status === 'problem').length
  if (json) write(`${JSON.stringify({ problems, checks: lines }, null, 2)}\n`)
  else
    for (const { check, status, message } of lines)
      write(`${status.padEnd('warning'.length)}  ${check.padEnd(WIDTH)}  ${message}\n`)
  return problems === 0
}
