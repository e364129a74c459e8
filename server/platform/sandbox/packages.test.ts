import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeZip } from '#tests/support/hostile-files.ts'
import { callOf, codeOf, openTestSandbox, shareSnapshot } from '#tests/support/sandbox.ts'

/** Tests packages for Python code. */

/** Shares the snapshot of the other tests, but has its own packages. */
const dataDir = mkdtempSync(join(tmpdir(), 'parley-test-'))
shareSnapshot(dataDir)
const { sandbox, run, close } = openTestSandbox({}, { dataDir })
const never = new AbortController().signal
beforeAll(async () => {
  writeWheels()
  await run('python', 'def main(): pass')
}, 120_000)
afterAll(async () => {
  await close()
  rmSync(dataDir, { recursive: true })
})

/**
 * Writes packages: `shop-kit` requires `price_list`, `forged` does not match its hash, and `native` is for another
 * platform.
 */
function writeWheels(): void {
  const folder = join(dataDir, 'wheels')
  mkdirSync(folder)
  const lines = [
    wheel(
      folder,
      'shop_kit-1.2.0-py3-none-any.whl',
      'shop_kit',
      'import price_list\ndef price(): return price_list.PRICE',
      'Requires-Dist: price-list>=1\nRequires-Dist: pytest; extra == "test"\n',
    ),
    wheel(folder, 'price_list-1.0-py3-none-any.whl', 'price_list', 'PRICE = 7', ''),
    wheel(folder, 'price_list-1.10-py3-none-any.whl', 'price_list', 'PRICE = 8', ''),
    wheel(folder, 'lonely-1.0-py3-none-any.whl', 'lonely', '', 'Requires-Dist: not-here\n'),
    `${'0'.repeat(64)}  forged-1.0-py3-none-any.whl`,
    wheel(folder, 'native-1.0-cp314-cp314-manylinux_2_17_x86_64.whl', 'native', '', ''),
    `${'0'.repeat(64)}  ../outside-1.0-py3-none-any.whl`,
  ]
  wheel(folder, 'forged-1.0-py3-none-any.whl', 'forged', 'import os', '')
  writeFileSync(join(folder, 'SHA256SUMS'), `${lines.join('\n')}\n`)
}

function wheel(folder: string, file: string, name: string, code: string, metadata: string): string {
  const version = file.split('-')[1]
  const info = `${name}-${version}.dist-info`
  const bytes = makeZip([
    { name: `${name}/__init__.py`, content: Buffer.from(code) },
    {
      name: `${info}/METADATA`,
      content: Buffer.from(
        `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n${metadata}\nText\nRequires-Dist: not-a-header\n`,
      ),
    },
    { name: `${info}/WHEEL`, content: Buffer.from('Wheel-Version: 1.0\n') },
    { name: `${info}/RECORD`, content: Buffer.from('') },
  ])
  writeFileSync(join(folder, file), bytes)
  return `${createHash('sha256').update(bytes).digest('hex')}  ${file}`
}

describe('packages', () => {
  const withPackages = (code: string, requirements: string[]) =>
    sandbox.run('one', callOf(codeOf('python', code, { requirements })), never)

  test('are available with their dependencies, in the newest version by default', async () => {
    const code = 'import shop_kit\ndef main(): return shop_kit.price()'
    expect(await withPackages(code, ['Shop.Kit==1.2.0'])).toMatchObject({ ok: true, output: 8 })
    expect(await withPackages(code, ['price-list==1.0', 'shop_kit'])).toMatchObject({ ok: true, output: 7 })
  })

  const REFUSED: [what: string, requirements: string[], sentence: RegExp][] = [
    ['an unknown package', ['requests'], /^requests is not one of the packages/],
    ['an unknown version', ['shop-kit==9'], /^shop-kit==9 is not one of the packages/],
    ['an unknown dependency', ['lonely'], /^not-here, which lonely requires, is not one of/],
    ['a modified file', ['forged'], /^forged cannot be used because its file does not match/],
    ['a package for another system', ['native'], /^native is not one of the packages/],
    ['a path outside the folder', ['outside'], /^outside is not one of the packages/],
    ['the standard library', ['json'], /^Remove json from the requirements/],
    ['an invalid requirement', ['shop-kit @ https://a.example/x.whl'], /is not a valid requirement/],
  ]
  test.each(REFUSED)('with %s are refused', async (_what, requirements, sentence) => {
    expect(await sandbox.checkRequirements('python', requirements)).toMatch(sentence)
    const outcome = await withPackages('def main(): pass', requirements)
    expect(outcome).toMatchObject({ ok: false, reason: 'failed', error: expect.stringMatching(sentence) })
  })

  test('are optional', async () => {
    expect(await sandbox.checkRequirements('python', [])).toBeNull()
    expect(await sandbox.checkRequirements('javascript', ['a'])).toMatch(/only Python code can use packages/)
  })
})
