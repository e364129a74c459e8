import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sentence } from '#errors'
import { readMetadata } from './read-metadata.ts'
import type { Language } from './sandbox.ts'
import { STANDARD_LIBRARY } from './standard-library.ts'

/**
 * Python packages that tenants' code may use. The operator puts them into a folder and lists them in its SHA256SUMS
 * file.
 */
export interface Wheels {
  folder: string
  /**
   * Returns the verified files of the required packages and their dependencies. Returns an error message if a package
   * is unavailable.
   */
  find(language: Language, requirements: readonly string[]): Promise<{ paths: string[] } | { error: string }>
}

const LIST_BYTES_MAX = 1_000_000
/** @limit Python packages of the operator */
const WHEELS_MAX = 100
const REQUIREMENT = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:==([A-Za-z0-9.+!_-]+))?$/
/** File name of a wheel: name-version(-build)?-python-abi-platform (Python binary distribution format). */
const WHEEL = /^([A-Za-z0-9._]+)-([A-Za-z0-9.+!_]+)(?:-\d[^-]*)?-([\w.]+)-([\w.]+)-([\w.]+)\.whl$/
const PYTHON = /(^|\.)(py3|py314|cp314|py2\.py3)(\.|$)/
const PLATFORM = /^any$|^(pyodide|pyemscripten|emscripten)_\w+_wasm32$/

interface Wheel {
  file: string
  hash: string
  name: string
  version: string
}

export function createWheels(folder: string): Wheels {
  const checks = createChecks()

  const collect = async (requirements: readonly string[]): Promise<string[]> => {
    const wheels = parseList(await readList(folder))
    const selected = new Map<string, string>()
    const open = requirements.map((text) => parseRequirement(text))
    for (let requirement = open.shift(); requirement !== undefined; requirement = open.shift()) {
      if (selected.has(requirement.name)) continue
      const wheel = choose(wheels, requirement)
      const path = join(folder, wheel.file)
      const { dependencies } = await checks(path, wheel)
      selected.set(requirement.name, path)
      if (selected.size > WHEELS_MAX)
        throw new Refusal(sentence('sandbox.packages_max', { limit: WHEELS_MAX }))
      open.push(...dependencies.map((name) => ({ name, text: name, version: undefined, by: wheel.name })))
    }
    return [...selected.values()]
  }
  return {
    folder,
    async find(language, requirements) {
      if (requirements.length === 0) return { paths: [] }
      if (language !== 'python')
        return { error: sentence('sandbox.packages_python_only', { name: requirements[0] ?? '' }) }
      try {
        return { paths: await collect(requirements) }
      } catch (error) {
        if (error instanceof Refusal) return { error: error.message }
        throw error
      }
    },
  }
}

/** Thrown for an unavailable package. The message is written for the author of the code. */
class Refusal extends Error {}

interface Requirement {
  /** Name of the package, normalized (PEP 503). */
  name: string
  text: string
  version: string | undefined
  /** Name of the package that depends on this one. Undefined for a direct requirement. */
  by?: string
}

function parseRequirement(text: string): Requirement {
  const [, name, version] = REQUIREMENT.exec(text.trim()) ?? []
  if (name === undefined) throw new Refusal(sentence('sandbox.requirement', { text }))
  if (STANDARD_LIBRARY.has(name)) throw new Refusal(sentence('sandbox.standard_library', { name }))
  return { name: normalise(name), text, version }
}

/** Normalizes a package name (PEP 503). */
const normalise = (name: string): string => name.replace(/[-_.]+/g, '-').toLowerCase()

async function readList(folder: string): Promise<string> {
  const path = join(folder, 'SHA256SUMS')
  const { size } = await stat(path).catch(() => ({ size: 0 }))
  return size === 0 || size > LIST_BYTES_MAX ? '' : readFile(path, 'utf8')
}

/**
 * Parses the lines of sha256sum. A line consists of a hash, a space, a space or an asterisk, and the name of a file
 * in the same folder.
 */
function parseList(text: string): Wheel[] {
  return text.split('\n').flatMap((line) => {
    const [, hash, file = ''] = /^([0-9a-f]{64}) [ *](?:\.\/)?(\S+)\s*$/.exec(line) ?? []
    const [, name, version, python = '', abi, platform = ''] = WHEEL.exec(file) ?? []
    if (hash === undefined || name === undefined || version === undefined) return []
    if (!PYTHON.test(python) || !PLATFORM.test(platform) || abi === undefined) return []
    return [{ file, hash, name: normalise(name), version }]
  })
}

function choose(wheels: readonly Wheel[], { name, text, version, by }: Requirement): Wheel {
  const fitting = wheels
    .filter((wheel) => wheel.name === name && (version === undefined || wheel.version === version))
    .sort((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }))
  const [newest] = fitting
  if (newest !== undefined) return newest
  throw new Refusal(
    by === undefined
      ? sentence('sandbox.package_unavailable', { name: text })
      : sentence('sandbox.dependency_unavailable', { name: text, dependent: by }),
  )
}

interface Checked {
  dependencies: string[]
}

/** Returns a function that verifies a file's hash. An unchanged file is hashed only once. */
function createChecks(): (path: string, wheel: Wheel) => Promise<Checked> {
  const known = new Map<string, Checked>()
  return async (path, { hash, name, file }) => {
    const { size, mtimeMs } = await stat(path).catch(() => ({ size: -1, mtimeMs: 0 }))
    if (size < 0) throw new Refusal(sentence('sandbox.package_missing', { name, file }))
    const key = `${path} ${size} ${mtimeMs} ${hash}`
    const before = known.get(key)
    if (before !== undefined) return before
    if ((await hashOf(path)) !== hash) throw new Refusal(sentence('sandbox.package_changed', { name }))
    const checked = { dependencies: (await readMetadata(path)).map(normalise) }
    if (known.size >= WHEELS_MAX) known.clear()
    known.set(key, checked)
    return checked
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}
