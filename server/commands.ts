import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { loadEnvFile } from 'node:process'
import { type Config, ConfigError, describeConfig, readConfig } from '#config'
import { DataDirError, startEmbedded } from '#database/embedded.ts'
import type { Secrets } from '#platform/secrets/secrets.ts'
import { BackupError } from './backup/manifest.ts'
import { ChatError, chatInTerminal } from './chat-client.ts'
import { ListenError } from './claim-port.ts'
import { StartTimeoutError } from './start-watch.ts'

/** A command of the command line. `usage` is printed for `parley --help`, and alone for `parley NAME --help`. */
interface Command {
  usage: string
  run(args: string[]): Promise<void>
}

const COMMANDS: Record<string, Command> = {
  start: {
    usage: `
  start                 start the server (configured by the environment and .env):
                          --workers N   run N processes behind one port (auto: one per core);
                                        requires DATABASE_URL and REDIS_URL (docs/processes.md)`,
    run: start,
  },
  migrate: {
    usage: `
  migrate               migrate the database to the current schema`,
    run: withoutArguments('migrate', migrate),
  },
  config: {
    usage: `
  config                print the effective configuration, with secrets hidden`,
    run: withoutArguments('config', showConfig),
  },
  doctor: {
    usage: `
  doctor                check the configuration and all services that it names; --json for machines`,
    run: doctor,
  },
  admin: {
    usage: `
  admin create EMAIL    make EMAIL a system administrator with a new password`,
    run: admin,
  },
  factors: {
    usage: `
  factors reset EMAIL   remove all second factors of a user who lost them`,
    run: factors,
  },
  backup: {
    usage: `
  backup FILE           write the embedded database and the files in DATA_DIR to FILE (docs/backup.md)`,
    run: backup,
  },
  restore: {
    usage: `
  restore FILE          restore a backup into an empty DATA_DIR; --force replaces existing data`,
    run: restore,
  },
  'rotate-secret': {
    usage: `
  rotate-secret         re-encrypt everything with a new SECRET (docs/secrets.md):
                          --lost        the earlier secret is lost; give up what it encrypted`,
    run: rotate,
  },
  mail: {
    usage: `
  mail [COUNT]          print the newest emails that were stored instead of sent
                          (emails are stored if SMTP_URL is not set)`,
    run: mail,
  },
  chat: {
    usage: `
  chat                  chat in the terminal with any Parley server:
                          --url URL --email EMAIL [--model NAME_OR_ID] [MESSAGE]
                          (prompts for the password unless PARLEY_PASSWORD is set)`,
    run: chatInTerminal,
  },
}

const HELP = ['--help', '-h', 'help']
const VERSION = ['--version', '-v', 'version']

const usageOf = (commands: readonly Command[]): string =>
  `Usage: parley <command>\n${commands.map(({ usage }) => usage).join('')}\n`

/**
 * Runs a command of the command line. Expected errors are printed in one line, and end the process with exit code 1, even
 * if the command has left connections open.
 */
export async function runCommand([name = '', ...args]: string[]): Promise<void> {
  const command = COMMANDS[name]
  if (VERSION.includes(name)) {
    const { programVersion } = await import('./backup/back-up.ts')
    process.stdout.write(`parley ${programVersion()}\n`)
    return
  }
  if (HELP.includes(name)) {
    process.stdout.write(usageOf(Object.values(COMMANDS)))
    return
  }
  if (!command) {
    process.stderr.write(usageOf(Object.values(COMMANDS)))
    process.exitCode = 1
    return
  }
  if (args.some((arg) => arg === '--help' || arg === '-h')) {
    process.stdout.write(usageOf([command]))
    return
  }
  try {
    await command.run(args)
  } catch (error) {
    const sentence = await explain(error)
    if (sentence === null) throw error
    process.stderr.write(`parley: ${sentence}\n`)
    process.exit(1)
  }
}

const EXPECTED = [ConfigError, DataDirError, ChatError, BackupError, StartTimeoutError, ListenError]

/** Explains a mistake of usage, or a service that is not available, in one line. Returns null for any other error. */
async function explain(error: unknown): Promise<string | null> {
  if (EXPECTED.some((kind) => error instanceof kind)) return (error as Error).message
  const { explainConnection, isConnectionError } = await import('./doctor/database.ts')
  return isConnectionError(error) ? explainConnection(error) : null
}

/** Refuses arguments, so that a mistyped option doesn't start a command that changes data. */
function withoutArguments(name: string, run: () => Promise<void>): Command['run'] {
  return async (args) => {
    if (args.length > 0) throw new ConfigError(`usage: parley ${name}`)
    await run()
  }
}

async function start(args: string[]): Promise<void> {
  const config = loadConfig()
  const workers = await import('./start-workers.ts')
  if (args.length > 0 && !workers.isWorker) {
    const [option, value, ...rest] = args.flatMap((arg) => arg.split('='))
    if (option !== '--workers' || rest.length > 0)
      throw new ConfigError('usage: parley start [--workers N|auto]')
    return workers.startWorkers(workers.readWorkers(value), config, process.env['ROLE'])
  }
  // The embedded database takes as long to start as the modules take to load, so do both concurrently.
  const starting = config.databaseUrl === null ? startEmbedded(config.dataDir) : undefined
  starting?.catch(() => {}) // reported by startServer
  const [{ createStop, startServer, stopOnSignals }, { banner }, { workAfterStart }] = await Promise.all([
    import('./main.ts'),
    import('./banner.ts'),
    import('./after-start.ts'),
  ])
  const server = await startServer(config, starting)
  if (workers.isWorker) workers.followPrimary(createStop(server))
  else stopOnSignals(server)
  const isFirst = !workers.isWorker || workers.isFirstWorker()
  workAfterStart(server.services, isFirst)
  if (isFirst) process.stdout.write(await banner(server, config))
}

async function migrate(): Promise<void> {
  const { connectDatabase } = await import('#database/connect.ts')
  const database = await connectDatabase(loadConfig())
  await database.close()
  process.stdout.write('The database is up to date\n')
}

async function showConfig(): Promise<void> {
  process.stdout.write(`${describeConfig(loadConfig()).join('\n')}\n`)
}

/** Exits itself, because a check that timed out may still wait for a connection. */
async function doctor(args: string[]): Promise<void> {
  if (args.some((arg) => arg !== '--json')) throw new ConfigError('usage: parley doctor [--json]')
  const { runDoctor } = await import('./doctor/doctor.ts')
  readEnvFile()
  const json = args.includes('--json')
  const isSound = await runDoctor(process.env, { json }, (text) => process.stdout.write(text))
  process.exit(isSound ? 0 : 1)
}

/** Returns a `Secrets` service that encrypts with SECRET and decrypts with SECRET or SECRET_PREVIOUS. */
async function openSecrets(config: Config): Promise<Secrets> {
  const { createSecrets, loadSecrets } = await import('#platform/secrets/secrets.ts')
  const { current, previous } = loadSecrets(config)
  return createSecrets(current, previous)
}

async function admin([action, email]: string[]): Promise<void> {
  if (action !== 'create' || !email?.includes('@')) throw new ConfigError('usage: parley admin create EMAIL')
  const config = loadConfig()
  const { connectDatabase } = await import('#database/connect.ts')
  const { setAdministrator } = await import('#parts/auth/index.ts')
  const { createPasswords } = await import('#platform/secrets/passwords.ts')
  const database = await connectDatabase(config)
  const password = config.adminPassword ?? randomBytes(12).toString('base64url')
  const secrets = await openSecrets(config)
  const services = { database, passwords: createPasswords(), config, secrets }
  const done = await setAdministrator(services, { email, password })
  await database.close()
  process.stdout.write(`${email} ${done}: system administrator, password ${password}\n`)
}

/** Removes all second factors of a user who has lost them and has no recovery codes left. */
async function factors([action, email]: string[]): Promise<void> {
  if (action !== 'reset' || !email?.includes('@')) throw new ConfigError('usage: parley factors reset EMAIL')
  const config = loadConfig()
  const { connectDatabase } = await import('#database/connect.ts')
  const { resetFactors } = await import('#parts/auth/index.ts')
  const { createJobs } = await import('#platform/jobs/jobs.ts')
  const { createMail } = await import('#platform/mail/mail.ts')
  const { Activity } = await import('#platform/sweeps/activity.ts')
  const { Sweeps } = await import('#platform/sweeps/sweeps.ts')
  const { createLog } = await import('#platform/telemetry/log.ts')
  const database = await connectDatabase(config)
  const log = createLog(config)
  const jobs = createJobs({ database, sweeps: new Sweeps(new Activity(database), log), log })
  const mail = createMail({ database, config, jobs, secrets: await openSecrets(config), log })
  await jobs.start([mail.queue], config.retentionDays.jobs)
  const isDone = await resetFactors({ database, mail, config }, email)
  await jobs.stop()
  await database.close()
  if (!isDone) throw new ConfigError(`No user has the email address ${email}. Check the address.`)
  process.stdout.write(`Removed the second factors of ${email} and ended all sessions\n`)
}

async function backup(args: string[]): Promise<void> {
  const { runBackup } = await import('./backup/commands.ts')
  await runBackup(loadConfig(), args, sayLine)
}

async function restore(args: string[]): Promise<void> {
  const { runRestore } = await import('./backup/commands.ts')
  await runRestore(loadConfig(), args, sayLine)
}

const sayLine = (line: string): void => void process.stdout.write(`${line}\n`)

async function rotate(args: string[]): Promise<void> {
  if (args.some((arg) => arg !== '--lost')) throw new ConfigError('usage: parley rotate-secret [--lost]')
  const config = loadConfig()
  const { rotateSecret } = await import('./rotate-secret.ts')
  await rotateSecret(config, { isLost: args.includes('--lost') }, sayLine)
}

/** Prints the newest mail last, just above the next prompt. */
async function mail([count = '5']: string[]): Promise<void> {
  if (!/^[1-9]\d{0,2}$/.test(count)) throw new ConfigError('usage: parley mail [COUNT]')
  const config = loadConfig()
  const { readSavedMail } = await import('#platform/mail/saved-mail.ts')
  const mails = await readSavedMail(config.dataDir, Number(count))
  for (const { date, to, subject, text } of mails.toReversed())
    process.stdout.write(`${date}  to ${to}\n${subject}\n\n${text}\n\n`)
  if (mails.length === 0) process.stdout.write(`No emails in ${config.dataDir}/mail\n`)
}

function loadConfig(): Config {
  readEnvFile()
  return readConfig(process.env)
}

function readEnvFile(): void {
  if (existsSync('.env')) loadEnvFile('.env')
}
