import type { Readable } from 'node:stream'
import type { Config } from '#config'
import { assertOutsideTransaction } from '#database/ambient.ts'
import type { Net } from '../net/index.ts'
import type { SecretPair } from '../secrets/secrets.ts'
import { createLocalFiles } from './local-files.ts'
import { createS3Files } from './s3-files.ts'

/** A file on the local disk. The receiver may move it. */
export interface LocalFile {
  path: string
  /** In bytes. */
  size: number
  /** SHA-256 of the content, in hexadecimal. */
  sha256: string
}

/** A stored file: its key, and the content type with which it is served. */
export interface StoredFile {
  key: string
  contentType: string
}

/**
 * Stores files in DATA_DIR or in a bucket (S3_*). A key is `{organization}/{chat or upload}/{filename}`. All methods
 * throw server.unavailable if the storage fails.
 */
export interface Storage {
  put(file: StoredFile, content: LocalFile): Promise<void>
  /** Returns the content of a file. Throws if the file does not exist. */
  read(key: string): Promise<Buffer>
  /**
   * Returns a file as a stream, which the caller must read to the end or destroy. Throws if the file does not exist.
   * A later read error fails the stream.
   */
  open(key: string): Promise<Readable>
  /** Deletes a file. Succeeds even if the file does not exist. */
  delete(key: string): Promise<void>
  /** Returns a URL that gives anyone access to the file for 7 days. */
  urlOf(file: StoredFile): Promise<string>
  /** Throws if the storage does not respond. */
  check(): Promise<void>
  /** Set if this server serves the files itself (serve-files.ts). Null for a bucket. */
  signed: SignedFiles | null
}

export interface SignedFiles {
  /** The folder that contains the files. A file's path in the folder is its key. */
  root: string
  /** Returns whether this server issued the URL and the URL is still valid. `expires` is a Unix time in seconds. */
  isSigned(file: StoredFile, expires: string, signature: string): boolean
}

export const createStorage = (config: Config, secrets: SecretPair, net: Net): Storage =>
  guardTransactions(config.s3 ? createS3Files(config.s3, net) : createLocalFiles(config, secrets))

/** Makes all methods that need I/O throw inside a transaction. `urlOf` only signs a URL, so it is allowed. */
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
