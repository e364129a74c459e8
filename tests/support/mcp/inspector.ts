import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { INSPECTOR_PROGRAM } from '#tests/clients/programs.ts'

/** Runs the MCP inspector in a terminal, on the server at a URL. Returns its JSON output. */
// biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and fail if one is missing
export async function inspect(url: string, ...options: string[]): Promise<any> {
  const home = mkdtempSync(join(tmpdir(), 'parley-inspector-'))
  try {
    const args = [INSPECTOR_PROGRAM, '--cli', url, '--transport', 'http', ...options]
    // The inspector writes its catalogue of servers into the home folder.
    const env = { ...process.env, HOME: home, USERPROFILE: home }
    const { stdout } = await promisify(execFile)(process.execPath, args, { env }).catch(resultOfTool)
    return JSON.parse(stdout)
  } finally {
    rmSync(home, { recursive: true })
  }
}

/** The inspector prints the result of a tool that reports an error, and then exits as if it had failed. */
function resultOfTool(failure: Error & { stdout: string }): { stdout: string } {
  if (failure.stdout === '') throw failure
  return failure
}
