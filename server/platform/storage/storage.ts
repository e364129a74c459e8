import type { Readable } from 'node:stream'
import type { Config } from '#config'
import { assertOutsideTransaction } from '#database/ambient.ts'
import type { Net } from '../net/index.ts'
import type { SecretPair } from '../secrets/secrets.ts'
import { createLocalFiles } from './local-files.ts'
import { createS3Files } from './s3-files.ts'

/** A file on this machine's disk. Whoever takes it may move it away. */
export interface LocalFile {
  path: string
  /** Bytes. */
  size: number
  /** Of its content, in hexadecimal. */
  sha256: string
}

/** A file in the storage: its key and its type, which decides how it is served. */
export interface StoredFile {
  key: string
  contentType: string
}

/**
 * Where files are kept: in DATA_DIR, or in a bucket (S3_*). A key is `{organization}/{chat or upload}/{filename}`
 * (spec, upload_file). What the storage can't do now is server.unavailable.
 */
export interface Storage {
  put(file: StoredFile, content: LocalFile): Promise<void>
  /** All of it. Throws where there is none. */
  read(key: string): Promise<Buffer>
  /**
   * The same as a stream, which holds a piece at a time. Throws where there is none; the stream fails where the rest is
   * not to be had. Whoever opens it reads it to its end or destroys it.
   */
  open(key: string): Promise<Readable>
  /** Also where there is none. */
  delete(key: string): Promise<void>
  /** Where anyone who knows the address can read the file, for 7 days. */
  urlOf(file: StoredFile): Promise<string>
  /** Throws where the storage does not answer. */
  check(): Promise<void>
  /** Set where files are read through this server (serve-files.ts), and not from a bucket. */
  signed: SignedFiles | null
}

export interface SignedFiles {
  /** The folder under which the files lie, each at its key. */
  root: string
  /** Whether an address is one that was given out, and still counts. `expires` is a Unix time in seconds. */
  isSigned(file: StoredFile, expires: string, signature: string): boolean
}

export const createStorage = (config: Config, secrets: SecretPair, net: Net): Storage =>
  guardTransactions(config.s3 ? createS3Files(config.s3, net) : createLocalFiles(config, secrets))

/** Addresses are signed without asking anybody, so `urlOf` may be called in a transaction. */
function guardTransactions(storage: Storage): Storage {
  const guard =
    <Values extends unknown[], Result>(
      name: string,
      work: (...values: Values) => Promise<Result>,
    ): ((...values: Values) => Promise<Result>) =>
    async (...values) => {
      assertOutsideTransaction(`storage.${name}`)
      return work(...values)
    }
  return {
    ...storage,
    put: guard('put', storage.put),
    read: guard('read', storage.read),
    open: guard('open', storage.open),
    delete: guard('delete', storage.delete),
    check: guard('check', storage.check),
  }
}
