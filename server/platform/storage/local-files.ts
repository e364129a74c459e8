import { createHmac } from 'node:crypto'
import { copyFile, mkdir, open as openFile, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { deriveKeys, type SecretPair, sameText } from '../secrets/secrets.ts'
import { pathOf, URL_SECONDS } from './addresses.ts'
import type { Storage, StoredFile } from './storage.ts'
import { unavailable } from './unavailable.ts'

/** Stores files in DATA_DIR/files. serve-files.ts serves them under /files with signed URLs. */
export function createLocalFiles(
  { dataDir, baseUrl }: { dataDir: string; baseUrl: string },
  secrets: SecretPair,
): Storage {
  const root = join(dataDir, 'files')
  const [signingKey, ...previousKeys] = deriveKeys(secrets, 'signed file addresses')
  const filePath = (key: string): string => join(root, key)
  const signatureOf = ({ key, contentType }: StoredFile, expires: string, by = signingKey): string =>
    createHmac('sha256', by).update(`${expires}\n${contentType}\n${key}`).digest('base64url')

  return {
    signed: {
      root,
      isSigned: (file, expires, signature) =>
        [signingKey, ...previousKeys].some((by) => sameText(signature, signatureOf(file, expires, by))) &&
        Number(expires) * 1000 > Date.now(),
    },
    async put({ key }, content) {
      const arrive = async (): Promise<void> => {
        await mkdir(dirname(filePath(key)), { recursive: true, mode: 0o700 })
        await move(content.path, filePath(key))
      }
      try {
        // Retry once if a concurrent deletion removed the folder.
        await arrive().catch((error) => (error.code === 'ENOENT' ? arrive() : Promise.reject(error)))
      } catch (cause) {
        throw unavailable(cause)
      }
    },
    read: (key) =>
      readFile(filePath(key)).catch((cause: unknown) => {
        throw unavailable(cause)
      }),
    async open(key) {
      try {
        return (await openFile(filePath(key))).createReadStream()
      } catch (cause) {
        throw unavailable(cause)
      }
    },
    async delete(key) {
      await rm(filePath(key), { force: true })
      await rmdir(dirname(filePath(key))).catch(() => {}) // fails for a folder that is not empty
    },
    async urlOf(file) {
      const expires = String(Math.floor(Date.now() / 1000) + URL_SECONDS)
      const query = new URLSearchParams({
        type: file.contentType,
        expires,
        signature: signatureOf(file, expires),
      })
      return `${baseUrl}/files/${pathOf(file.key)}?${query}`
    },
    async check() {
      await mkdir(root, { recursive: true, mode: 0o700 })
      await stat(root)
    },
  }
}

/** Moves a file. Across file systems, copies the file, and renames the copy when it is complete. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    try {
      await copyFile(from, `${to}.part`)
      await rename(`${to}.part`, to)
    } finally {
      await rm(`${to}.part`, { force: true })
    }
  }
}
