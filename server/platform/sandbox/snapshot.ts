import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandOf, environmentOf, PROGRAMS, type Start, TIME_ZONES } from './deno-command.ts'
import type { Runtimes } from './find-deno.ts'

/**
 * Memory image of a started Python interpreter with this server's Python program loaded. Starting a process from a
 * snapshot takes a fraction of the time.
 */
export interface Snapshot {
  /** Returns the path of a valid snapshot. Creates a snapshot if there is none, and rejects if that fails. */
  find(): Promise<string>
  /** Invalidates a damaged snapshot. The next `find` creates a new one. */
  discard(): Promise<void>
  close(): void
}

const MAKING_MS_MAX = 120_000
/** Snapshots of other versions are deleted after this time. Until then, a server of another version may use them. */
const OLD_MS = 7 * 24 * 3_600_000
const BYTES_MIN = 10_000_000
const BYTES_MAX = 100_000_000

/**
 * Creates the store of snapshots. It saves a snapshot in `folder` with its SHA-256. The file name depends on
 * everything that determines the snapshot's content.
 */
export function createSnapshot(runtimes: Runtimes, folder: string, program: string): Snapshot {
  const stopping = new AbortController()
  let found: Promise<string> | undefined

  const find = async (): Promise<string> => {
    const path = join(folder, `python-${await nameOf(runtimes, program)}.snapshot`)
    if (await isGood(path)) return path
    await mkdir(folder, { recursive: true })
    await removeOld(folder)
    await make(runtimes, program, path, stopping.signal)
    return path
  }
  return {
    find() {
      found ??= find()
      // Forget a failed attempt, so that the next caller retries.
      found.catch(() => {
        found = undefined
      })
      return found
    },
    async discard() {
      const path = await found?.catch(() => undefined)
      found = undefined
      if (path !== undefined) await rm(`${path}.sha256`, { force: true })
    },
    close: () => stopping.abort(new Error('The server is stopping.')),
  }
}

async function nameOf({ denoVersion, pyodideVersion }: Runtimes, program: string): Promise<string> {
  const hash = createHash('sha256').update(`${denoVersion} ${pyodideVersion} ${process.arch}`)
  for (const path of [program, PROGRAMS.python]) hash.update(await readFile(path))
  return hash.digest('hex').slice(0, 16)
}

async function isGood(path: string): Promise<boolean> {
  const expected = await readFile(`${path}.sha256`, 'latin1').catch(() => null)
  const { size } = await stat(path).catch(() => ({ size: 0 }))
  return expected !== null && size <= BYTES_MAX && (await hashOf(path).catch(() => '')) === expected
}

async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (name.startsWith('python-') && mtimeMs < Date.now() - OLD_MS) await rm(path, { force: true })
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}

async function make(runtimes: Runtimes, program: string, path: string, signal: AbortSignal): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-sandbox-'))
  try {
    const bytes = await readOutput(startOf(runtimes, program, 'snapshot', ''), folder, signal)
    const own = `${path}.${process.pid}`
    await writeFile(own, bytes)
    await rename(own, path)
    const hash = createHash('sha256').update(bytes).digest('hex')
    await writeFile(`${own}.sha256`, hash)
    await rename(`${own}.sha256`, `${path}.sha256`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns the parameters for starting a Python process. */
export const startOf = (
  runtimes: Runtimes,
  program: string,
  mode: 'snapshot' | 'run' | 'template',
  snapshot: string,
  reads: readonly string[] = [],
): Start => ({
  runtime: 'python',
  runtimes,
  reads: [runtimes.pyodide, program, TIME_ZONES, ...(snapshot === '' ? [] : [snapshot]), ...reads],
  parameters: [mode, runtimes.pyodide, snapshot, program, TIME_ZONES],
})

function readOutput(start: Start, folder: string, signal: AbortSignal): Promise<Buffer> {
  const [command = '', ...values] = commandOf(start)
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const child = spawn(command, values, {
      cwd: folder,
      env: environmentOf(folder),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: MAKING_MS_MAX,
      killSignal: 'SIGKILL',
      signal,
    })
    const chunks: Buffer[] = []
    let bytes = 0
    let errors = ''
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > BYTES_MAX) child.kill('SIGKILL')
      else chunks.push(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      errors = (errors + chunk.toString('latin1')).slice(-2_000)
    })
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0 && bytes >= BYTES_MIN) resolve(Buffer.concat(chunks))
      else reject(new Error(`Python's snapshot could not be created: ${errors}`))
    })
  })
}
