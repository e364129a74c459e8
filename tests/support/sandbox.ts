import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import type { Net } from '#platform/net/index.ts'
import {
  createSandbox,
  type Language,
  type Sandbox,
  type SandboxBounds,
  type SandboxCall,
  type SandboxCode,
  type SandboxOutcome,
} from '#platform/sandbox/sandbox.ts'
import { createExampleNet } from './provider/example-net.ts'

/** Folder with Python's snapshot, which all tests share because creating it takes seconds. */
export const SANDBOX_DATA = join(tmpdir(), 'parley-tests-sandbox')

/**
 * Disables prestarted sandbox processes. Starting a process takes up to a second of CPU time, and each test that runs
 * code would end with two unused processes.
 */
export const NONE_WARM: SandboxBounds = { warm: 0 }

/** Links the shared snapshot into a server's data folder, unless the folder has a snapshot. */
export function shareSnapshot(dataDir: string): void {
  const folder = join(SANDBOX_DATA, 'sandbox')
  const link = join(dataDir, 'sandbox')
  if (existsSync(link)) return
  for (const path of [folder, dataDir]) mkdirSync(path, { recursive: true })
  symlinkSync(folder, link)
}

export interface TestSandbox {
  sandbox: Sandbox
  /** Runs a tool's code by calling its function `main`. */
  run(
    language: Language,
    code: string,
    more?: Partial<SandboxCall> & { code?: never },
  ): Promise<SandboxOutcome>
  close(): Promise<void>
}

export function openTestSandbox(
  bounds: SandboxBounds = {},
  { net = createExampleNet(), dataDir = SANDBOX_DATA }: { net?: Net; dataDir?: string } = {},
): TestSandbox {
  const sandbox = createSandbox({ net, log: pino({ level: 'silent' }), dataDir }, { ...NONE_WARM, ...bounds })
  return {
    sandbox,
    run: (language, code, more = {}) =>
      sandbox.run('one', callOf(codeOf(language, code), more), new AbortController().signal),
    async close() {
      await sandbox.close()
      await net.close()
    },
  }
}

export const codeOf = (language: Language, code: string, more: Partial<SandboxCode> = {}): SandboxCode => ({
  language,
  code,
  name: 'main',
  isClass: false,
  requirements: [],
  ...more,
})

export const callOf = (code: SandboxCode, more: Partial<SandboxCall> = {}): SandboxCall => ({
  code,
  method: null,
  input: {},
  config: {},
  network: [],
  ...more,
})

/** Returns the process ids of the running Deno processes that this process has started, and of their copies. */
export function denoProcesses(): number[] {
  return descendantsOf('self').filter((pid) => {
    try {
      return /deno|prlimit/.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1'))
    } catch {
      return false
    }
  })
}

function descendantsOf(process: number | 'self'): number[] {
  try {
    const children = readdirSync(`/proc/${process}/task`).flatMap((thread) =>
      readFileSync(`/proc/${process}/task/${thread}/children`, 'latin1')
        .split(' ')
        .filter(Boolean)
        .map(Number),
    )
    return children.flatMap((pid) => [pid, ...descendantsOf(pid)])
  } catch {
    return [] // The process has ended.
  }
}
