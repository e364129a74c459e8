import { existsSync } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { FREE_BYTES_MIN, FREE_BYTES_WARNING, freeBytes, inMegabytes } from '#platform/storage/disks.ts'
import { type Check, type Finding, ok, problem, reasonOf, warning } from './check.ts'

/** The data folder: writable, private, and on a disk with free space. */
export const dataDirCheck: Check = {
  name: 'data folder',
  async run({ config: { dataDir } }) {
    const existing = nearestExisting(dataDir)
    const found = await stat(existing)
    if (!found.isDirectory()) return [problem(`${existing} is not a folder. Set DATA_DIR to a folder.`)]
    try {
      await access(existing, constants.R_OK | constants.W_OK | constants.X_OK)
    } catch (error) {
      return [
        problem(
          `${existing} is not writable for this user: ${reasonOf(error)}. Change its owner, or set another DATA_DIR.`,
        ),
      ]
    }
    const findings: Finding[] = [
      existing === dataDir
        ? ok(`${dataDir} is writable`)
        : ok(`${dataDir} does not exist yet; the first start creates it`),
    ]
    if (existing === dataDir && process.platform !== 'win32' && (found.mode & 0o077) !== 0)
      findings.push(
        warning(`Other users can read ${dataDir}. Run chmod 700 on it, because it may contain the secret.`),
      )
    return [...findings, await checkSpace(existing)]
  },
}

async function checkSpace(folder: string): Promise<Finding> {
  const bytes = await freeBytes(folder)
  const free = inMegabytes(bytes)
  if (bytes < FREE_BYTES_MIN)
    return problem(
      `The disk has ${free} MB free, and the server is not ready below ${inMegabytes(FREE_BYTES_MIN)} MB. Free some space, or writes will fail.`,
    )
  if (bytes < FREE_BYTES_WARNING) return warning(`The disk has ${free} MB free. Free some space soon.`)
  return ok(`The disk has ${free} MB free`)
}

const nearestExisting = (path: string): string => (existsSync(path) ? path : nearestExisting(dirname(path)))
