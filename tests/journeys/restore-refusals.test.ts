import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ZipFile } from 'yazl'
import { readConfig } from '#config'
import { lockDataDir, startEmbedded } from '#database/embedded.ts'
import { copyEmbedded } from '#tests/support/embedded.ts'
import { backUp } from '../../server/backup/back-up.ts'
import { restore } from '../../server/backup/restore.ts'

/** Backups that cannot be restored, and the data that they must leave unchanged. */

const folder = mkdtempSync(join(tmpdir(), 'parley-restore-'))
const source = join(folder, 'source')
const archive = join(folder, 'whole.backup')
let whole: Buffer
beforeAll(async () => {
  await copyEmbedded(source)
  writeFileSync(join(source, 'secret'), 'the-secret-of-the-source')
  mkdirSync(join(source, 'files/a/b'), { recursive: true })
  writeFileSync(join(source, 'files/a/b/note.md'), 'A note.')
  await backUp(configOf(source), archive)
  whole = readFileSync(archive)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const configOf = (dataDir: string, more: Record<string, string> = {}) =>
  readConfig({ DATA_DIR: dataDir, ...more })

/** Creates a data folder with earlier data. */
function occupied(): string {
  const dataDir = mkdtempSync(join(folder, 'occupied-'))
  writeFileSync(join(dataDir, 'secret'), 'the-earlier-secret')
  mkdirSync(join(dataDir, 'postgres'))
  writeFileSync(join(dataDir, 'postgres/PG_VERSION'), 'earlier')
  return dataDir
}

function expectUnchanged(dataDir: string): void {
  expect(readFileSync(join(dataDir, 'secret'), 'utf8')).toBe('the-earlier-secret')
  expect(readFileSync(join(dataDir, 'postgres/PG_VERSION'), 'utf8')).toBe('earlier')
  const rest = readdirSync(dataDir).filter((name) => !/^(?:lock(?:-journal)?|postgres|secret)$/.test(name))
  expect(rest).toEqual([])
}

async function refusalOf(bytes: Buffer, more: Record<string, string> = {}): Promise<string> {
  const dataDir = occupied()
  const file = join(folder, 'refused.backup')
  writeFileSync(file, bytes)
  const failure = await restore(configOf(dataDir, more), file, { force: true }).catch((error: Error) => error)
  expectUnchanged(dataDir)
  expect(readdirSync(folder)).not.toContain('escaped')
  expect(failure).toMatchObject({ name: 'BackupError' })
  return (failure as Error).message
}

/** Writes a small archive with a correct manifest and correct checksums, except for what the caller replaces. */
async function forge({
  manifest = {},
  files = { secret: 'forged' },
  checksums = true,
}: {
  manifest?: Record<string, unknown>
  files?: Record<string, string>
  checksums?: boolean
} = {}): Promise<Buffer> {
  const zip = new ZipFile()
  const text = JSON.stringify({
    ...{ format: 'parley-backup', version: 1, program: '9.9.9', migrations: [], secret_id: '' },
    ...manifest,
  })
  const all = { ...files, 'manifest.json': text }
  for (const [name, content] of Object.entries(all)) zip.addBuffer(Buffer.from(content), name)
  const lines = Object.entries(all).map(
    ([name, content]) => `${createHash('sha256').update(content).digest('hex')}  ${name}\n`,
  )
  if (checksums) zip.addBuffer(Buffer.from(lines.join('')), 'checksums.txt')
  zip.end()
  return buffer(zip.outputStream)
}

/** Replaces a text by one of the same length everywhere in an archive, which yazl would refuse to write. */
function patched(bytes: Buffer, from: string, to: string): Buffer {
  expect(to).toHaveLength(from.length)
  return Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1')
}

describe('a restore refuses', () => {
  test.each([1, 1_000, 1_000_000])('an archive that lacks its last %i bytes', async (count) => {
    expect(await refusalOf(whole.subarray(0, -count))).toContain('is not a complete backup')
  })

  test.each([0.1, 0.5, 0.9])('an archive with a changed byte at %f of its length', async (part) => {
    const changed = Buffer.from(whole)
    const at = Math.floor(changed.length * part)
    changed[at] = (changed[at] as number) ^ 0x55
    expect(await refusalOf(changed)).toContain('is not a complete backup')
  })

  test('an archive for a folder that does not exist, which then still does not exist', async () => {
    const file = join(folder, 'short.backup')
    writeFileSync(file, whole.subarray(0, -1_000))
    const dataDir = join(folder, 'new/data')
    const forSecret = configOf(dataDir, { SECRET: 's'.repeat(32) })
    await expect(restore(configOf(dataDir), file)).rejects.toThrow('is not a complete backup')
    await expect(restore(forSecret, archive)).rejects.toThrow('SECRET is not the secret of this backup')
    expect(existsSync(join(folder, 'new'))).toBe(false)
  })

  test('another file', async () => {
    expect(await refusalOf(Buffer.from('not an archive'))).toContain('is not a complete backup')
  })

  test.each(['../escaped', '/escaped-to', 'a/../../esc', 'postgres/../'])('the path %s', async (path) => {
    const name = 'files/'.padEnd(path.length, 'x').slice(0, path.length)
    const bytes = await forge({ files: { [name]: 'x' } })
    expect(await refusalOf(patched(bytes, name, path))).toContain('is not a complete backup')
  })

  test('an entry that does not belong to a backup', async () => {
    expect(await refusalOf(await forge({ files: { 'cron.d/job': 'x' } }))).toContain('does not belong')
  })

  test('an entry without a checksum, a missing entry, and missing checksums', async () => {
    const two = await forge({ files: { 'files/one': 'x', 'files/two': 'x' } })
    expect(await refusalOf(patched(two, 'files/two', 'files/six'))).toContain('is not a complete backup')
    expect(await refusalOf(await forge({ checksums: false }))).toContain('checksums.txt')
  })

  test('a newer format and a newer schema', async () => {
    expect(await refusalOf(await forge({ manifest: { version: 2 } }))).toContain(
      'Install the version that made it',
    )
    const newer = await forge({ manifest: { migrations: [4_000_000_000_000] } })
    expect(await refusalOf(newer)).toContain('Install version 9.9.9')
  })

  test('a secret in the environment that differs from the secret of the backup', async () => {
    expect(await refusalOf(whole, { SECRET: 'x'.repeat(32) })).toContain(
      'SECRET is not the secret of this backup',
    )
  })

  test('a folder with data, unless forced, and a folder that a process uses', async () => {
    const dataDir = occupied()
    await expect(restore(configOf(dataDir), archive)).rejects.toThrow('add --force')
    const unlock = lockDataDir(dataDir)
    await expect(restore(configOf(dataDir), archive, { force: true })).rejects.toThrow('another process')
    unlock()
    expectUnchanged(dataDir)
  })
})

test('a forced restore keeps the earlier data', async () => {
  const dataDir = occupied()
  const { replaced } = await restore(configOf(dataDir), archive, { force: true })
  expect(readFileSync(join(replaced ?? '', 'secret'), 'utf8')).toBe('the-earlier-secret')
  expect(readFileSync(join(dataDir, 'secret'), 'utf8')).toBe('the-secret-of-the-source')
  expect(readFileSync(join(dataDir, 'files/a/b/note.md'), 'utf8')).toBe('A note.')
})

test('a restore that was killed between its moves stops the next start', async () => {
  const dataDir = occupied()
  writeFileSync(join(dataDir, 'restore-unfinished'), '')
  await expect(startEmbedded(dataDir)).rejects.toThrow('was interrupted')
})

describe('a backup refuses', () => {
  test('an existing file, a missing folder, a folder without a database, and PostgreSQL', async () => {
    await expect(backUp(configOf(source), archive)).rejects.toThrow('already exists')
    await expect(backUp(configOf(source), join(folder, 'none/a'))).rejects.toThrow('not a writable folder')
    await expect(backUp(configOf(join(folder, 'none')), join(folder, 'a'))).rejects.toThrow('no database')
    const postgres = { DATABASE_URL: 'postgres://localhost/x', SECRET: 's'.repeat(32) }
    await expect(backUp(configOf(source, postgres), join(folder, 'a'))).rejects.toThrow('pg_dump')
  })

  test('a folder whose process takes no snapshots', async () => {
    const unlock = lockDataDir(source)
    await expect(backUp(configOf(source), join(folder, 'a'))).rejects.toThrow('cannot take a backup now')
    unlock()
  })
})
