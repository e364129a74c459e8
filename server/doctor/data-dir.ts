import { existsSync } from 'node:fs'
import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Check, type Finding, ok, problem, reasonOf, warning } from './check.ts'

const MB = 1024 ** 2
const FREE_MB_PROBLEM = 100
const FREE_MB_WARNING = 1_024

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
  const { bavail, bsize } = await statfs(folder)
  const free = Math.floor((bavail * bsize) / MB)
  if (free < FREE_MB_PROBLEM)
    return problem(`The disk has ${free} MB free. Free some space, or writes will fail.`)
  if (free < FREE_MB_WARNING) return warning(`The disk has ${free} MB free. Free some space soon.`)
  return ok(`The disk has ${free} MB free`)
}

const nearestExisting = (path: string): string => (existsSync(path) ? path : nearestExisting(dirname(path)))
