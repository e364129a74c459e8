import { createHash, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStorage, type Storage } from '#platform/storage/storage.ts'
import { type Check, type Finding, ok, problem, reasonOf } from './check.ts'

const CONTENT = 'parley doctor'

/** The bucket: stores, reads and deletes a small object. */
export const bucketCheck: Check = {
  name: 'bucket',
  async run({ config, net }) {
    if (config.s3 === null) return [ok('Not used; files are stored in DATA_DIR')]
    // A bucket's addresses are signed with its own key.
    const storage = createStorage(config, { current: '', previous: null }, net)
    const { endpoint, bucket } = config.s3
    const done: string[] = []
    try {
      for (const step of ['put', 'read', 'delete'] as const) {
        await STEPS[step](storage, config.s3.bucket)
        done.push(step)
      }
      return [ok(`${bucket} at ${endpoint} stores, reads and deletes an object`)]
    } catch (error) {
      return [explain(done.length, reasonOf(error), `${bucket} at ${endpoint}`)]
    }
  },
}

const KEY = `parley-doctor/${randomUUID()}/check.txt`

const STEPS: Record<'put' | 'read' | 'delete', (storage: Storage, bucket: string) => Promise<void>> = {
  async put(storage) {
    const folder = await mkdtemp(join(tmpdir(), 'parley-doctor-'))
    try {
      const path = join(folder, 'check.txt')
      await writeFile(path, CONTENT)
      const sha256 = createHash('sha256').update(CONTENT).digest('hex')
      await storage.put({ key: KEY, contentType: 'text/plain' }, { path, size: CONTENT.length, sha256 })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
  async read(storage, bucket) {
    const content = await storage.read(KEY)
    if (content.toString() !== CONTENT) throw new Error(`${bucket} returned other content than it stored`)
  },
  async delete(storage) {
    await storage.delete(KEY)
  },
}

const STEP_NAMES = ['store an object (s3:PutObject)', 'read it (s3:GetObject)', 'delete it (s3:DeleteObject)']

function explain(step: number, reason: string, place: string): Finding {
  const failed = `${place} does not ${STEP_NAMES[step]}`
  const status = /failed with status (\d+)/.exec(reason)?.[1]
  const code = /<Code>(\w{1,60})<\/Code>/.exec(reason)?.[1]
  if (status === undefined)
    return problem(`${failed}: ${reason}. Check S3_ENDPOINT, and that it can be reached.`)
  const answer = `status ${status}${code ? `, ${code}` : ''}`
  if (code === 'RequestTimeTooSkewed') return problem(`${failed}: ${answer}. Set the clock of this machine.`)
  if (status === '403')
    return problem(
      `${failed}: ${answer}. Check S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and the key's permissions.`,
    )
  if (status === '404')
    return problem(`${failed}: ${answer}. Create the bucket, or check S3_BUCKET and S3_REGION.`)
  return problem(`${failed}: ${answer}. Check S3_REGION and the service's own log.`)
}
