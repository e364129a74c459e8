import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { GENERATORS } from '#tests/clients/generators.ts'

const ROOT = join(import.meta.dirname, '../..')
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc')
const OPTIONS =
  '--noEmit --strict --target es2022 --module esnext --moduleResolution bundler --lib es2023,dom,dom.iterable --types'

test.each(Object.entries(GENERATORS))('the client that %s generates compiles', async (_name, generate) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-generated-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await generate(join(ROOT, 'openapi.json'), folder)
  await compile(folder)
})

/** Compiles the TypeScript files of a folder. Throws the compiler's messages. */
async function compile(folder: string): Promise<void> {
  const files = globSync('**/*.ts', { cwd: folder })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const args = [COMPILER, ...OPTIONS.split(' '), '', ...files]
  execFile(process.execPath, args, { cwd: folder }, (error, stdout) =>
    error ? reject(new Error(stdout.slice(0, 5_000))) : resolve(),
  )
  await promise
}
