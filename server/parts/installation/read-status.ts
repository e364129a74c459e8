import type { Config } from '#config'
import { hideSecrets } from '#platform/secrets/hide-secrets.ts'
import type { Services } from '#platform/services.ts'
import { inTime } from '#platform/telemetry/in-time.ts'
import { listProviderHealth } from '../llm/index.ts'
import type { InstallationStatus } from './schemas.ts'

/** Timeout of each check of a dependency. */
const CHECK_MS = 4_000

/** Checks the services that this installation depends on. A failed check is part of the result. */
export async function readStatus(services: Services): Promise<InstallationStatus> {
  const { config, storage, jobs } = services
  const hide = hideSecrets(config)
  const reasonOf = async (check: Promise<unknown>): Promise<string | null> =>
    check.then(
      () => null,
      (error: Error) => hide(error.message),
    )
  const [mailError, storageError, providers, waiting, failed] = await Promise.all([
    config.smtpUrl === null ? null : reasonOf(checkMail(config.smtpUrl)),
    reasonOf(inTime(CHECK_MS, () => storage.check())),
    listProviderHealth(services),
    jobs.countWaiting(),
    jobs.countFailed(),
  ])
  return {
    mail: {
      delivery: config.smtpUrl === null ? 'none' : 'smtp',
      server: config.smtpUrl && new URL(config.smtpUrl).host,
      from: config.mailFrom,
      error: mailError,
    },
    storage: { ...placeOf(config), error: storageError },
    providers,
    queues: [...waiting].map(([name, { count }]) => ({
      name,
      waiting: count,
      failed: failed.get(name) ?? 0,
    })),
  }
}

/** Connects to the SMTP server and logs in. Loads the module on demand, because most processes never need it. */
async function checkMail(smtpUrl: string): Promise<void> {
  const { checkSmtp } = await import('#platform/mail/check-smtp.ts')
  await checkSmtp(smtpUrl, CHECK_MS)
}

const placeOf = ({ s3, dataDir }: Config): Pick<InstallationStatus['storage'], 'kind' | 'place'> =>
  s3 ? { kind: 'bucket', place: `${s3.endpoint}/${s3.bucket}` } : { kind: 'folder', place: dataDir }
