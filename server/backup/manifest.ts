/** A backup cannot be made or restored. The message is one line for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

export const FORMAT = 'parley-backup'
/** The version of the archive's structure. A program restores its own version and earlier ones. */
export const FORMAT_VERSION = 1
export const MANIFEST = 'manifest.json'
/** Contains a line `{sha256}  {path}` per other entry, which `sha256sum --check` can read. */
export const CHECKSUMS = 'checksums.txt'

/** The content of `manifest.json`. */
export interface Manifest {
  format: typeof FORMAT
  version: number
  created_at: string
  /** The version of the program that made the backup. */
  program: string
  /** The times of the applied migrations (database/schema-state.ts). */
  migrations: number[]
  /** The number of files in the archive, and their total size in bytes before compression. */
  files: number
  bytes: number
  /** Where the server stored uploads. Files of a bucket are not in the archive. */
  uploads: 'included' | 'bucket'
  /** Identifies the secret that the data is encrypted with. The secret cannot be computed from it. */
  secret_id: string
}
