import { type Config, ConfigError } from '#config'
import { backUp } from './back-up.ts'
import { restore } from './restore.ts'

type Say = (line: string) => void

/** `parley backup FILE` */
export async function runBackup(config: Config, [file, ...rest]: string[], say: Say): Promise<void> {
  if (!file || rest.length > 0) throw new ConfigError('usage: parley backup FILE')
  const { files, bytes, uploads } = await backUp(config, file)
  say(`Backed up ${files} files (${megabytes(bytes)}) to ${file}`)
  if (config.secret === null)
    say('It contains the secret that decrypts stored keys. Store it where only you can read it.')
  else say('It does not contain SECRET. Store SECRET in another place; without it, stored keys are lost.')
  if (uploads === 'bucket')
    say('It does not contain the files in the bucket. Back up the bucket after this command.')
}

/** `parley restore FILE [--force]` */
export async function runRestore(config: Config, args: string[], say: Say): Promise<void> {
  const [file, ...rest] = args.filter((arg) => arg !== '--force')
  if (!file || rest.length > 0) throw new ConfigError('usage: parley restore FILE [--force]')
  const { manifest, replaced } = await restore(config, file, { force: args.includes('--force') })
  const { created_at: createdAt, files, bytes, uploads } = manifest
  say(`Restored ${files} files (${megabytes(bytes)}) of ${createdAt} to ${config.dataDir}`)
  if (replaced !== null) say(`The earlier data is in ${replaced}. Delete it when the restored server works.`)
  if (uploads === 'bucket')
    say('The files are in the bucket of the server that was backed up. Set S3_*, or restore the bucket.')
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2)} MB`
