import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readBom } from './sbom.ts'

/** `npm run sbom`: writes parley.cdx.json, the bill of materials of this installation. */
const root = join(import.meta.dirname, '..')
writeFileSync(join(root, 'parley.cdx.json'), `${JSON.stringify(readBom(root), null, 2)}\n`)
