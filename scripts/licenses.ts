import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from 'typebox'
import { Value } from 'typebox/value'

const Lock = Type.Object({
  packages: Type.Record(
    Type.String(),
    Type.Object({
      version: Type.Optional(Type.String()),
      license: Type.Optional(Type.String()),
      dev: Type.Optional(Type.Boolean()),
      link: Type.Optional(Type.Boolean()),
      hasInstallScript: Type.Optional(Type.Boolean()),
      integrity: Type.Optional(Type.String()),
      resolved: Type.Optional(Type.String()),
      dependencies: Type.Optional(Type.Record(Type.String(), Type.String())),
      optionalDependencies: Type.Optional(Type.Record(Type.String(), Type.String())),
    }),
  ),
})

export interface LockedPackage {
  /** The install location: `node_modules/a/node_modules/b`. */
  folder: string
  name: string
  version: string
  /** The license in package.json: an SPDX expression, or `none`. */
  license: string
  isProduction: boolean
  hasInstallScript: boolean
  integrity: string | undefined
  resolved: string | undefined
  /** The versions of its dependencies: version ranges, or URLs. */
  wanted: string[]
}

/** Licenses of code that may be distributed unchanged with an Apache-2.0 program and listed in its notices. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'OFL-1.1',
  'Unlicense',
  'Zlib',
])

/** Returns the packages of a package-lock.json, without those of the project itself. */
export function readLock(file: string): LockedPackage[] {
  const lock = Value.Parse(Lock, JSON.parse(readFileSync(file, 'utf8')))
  return Object.entries(lock.packages)
    .filter(([folder, entry]) => folder.includes('node_modules/') && !entry.link)
    .map(([folder, entry]) => {
      const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
      return {
        folder,
        name,
        version: entry.version ?? 'none',
        license: entry.license ?? 'none',
        isProduction: !entry.dev,
        hasInstallScript: entry.hasInstallScript ?? false,
        integrity: entry.integrity,
        resolved: entry.resolved,
        wanted: Object.values({ ...entry.dependencies, ...entry.optionalDependencies }),
      }
    })
}

/** Returns whether allowed licenses alone satisfy an SPDX expression of names, AND, OR and parentheses. */
export function isAllowed(expression: string): boolean {
  const alternatives = expression.replace(/^\((.*)\)$/, '$1').split(' OR ')
  return alternatives.some((alternative) =>
    alternative
      .replace(/^\((.*)\)$/, '$1')
      .split(' AND ')
      .every((license) => ALLOWED.has(license)),
  )
}

/** Returns the texts of the license and notice files that an installed package contains. */
export function licenseTexts(root: string, entry: LockedPackage, files: string[]): string[] {
  return files
    .filter((file) => /^(licen[cs]e|copying|notice)([.-]|$)/i.test(file))
    .map((file) => readFileSync(join(root, entry.folder, file), 'utf8').trim())
}
