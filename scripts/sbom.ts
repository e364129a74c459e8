import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { readLock } from './licenses.ts'

const open = { additionalProperties: true }
const Bom = Type.Object(
  {
    metadata: Type.Object({ component: Type.Object({ 'bom-ref': Type.String() }, open) }, open),
    components: Type.Array(
      Type.Object({ 'bom-ref': Type.String(), name: Type.String(), version: Type.String() }, open),
    ),
    dependencies: Type.Array(
      Type.Object({ ref: Type.String(), dependsOn: Type.Optional(Type.Array(Type.String())) }, open),
    ),
  },
  open,
)

/**
 * Returns a CycloneDX bill of materials of the installed production dependencies, created by npm. `npm sbom --omit
 * dev` alone omits packages that a development dependency also requires (React, ws), so package-lock.json decides.
 */
export function readBom(root: string): unknown {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const output = execFileSync(npm, ['sbom', '--sbom-format', 'cyclonedx'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  })
  const bom = Value.Parse(Bom, JSON.parse(output))
  const production = new Set(
    readLock(join(root, 'package-lock.json'))
      .filter((entry) => entry.isProduction)
      .map((entry) => `${entry.name}@${entry.version}`),
  )
  const components = bom.components.filter(({ name, version }) => production.has(`${name}@${version}`))
  const refs = new Set(components.map((component) => component['bom-ref']))
  refs.add(bom.metadata.component['bom-ref'])
  const dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map((entry) => ({ ...entry, dependsOn: (entry.dependsOn ?? []).filter((ref) => refs.has(ref)) }))
  return { ...bom, components, dependencies }
}
