import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readBom } from './sbom.ts'

/** Writes parley.cdx.json, the bill of materials of this installation. `npm run sbom`. */
const root = join(import.meta.dirname, '..')
writeFileSync(join(root, 'parley.cdx.json'), `${JSON.stringify(readBom(root), null, 2)}\n`)
