import { readFileSync, writeFileSync } from 'node:fs'
import { withTables } from './limits-page.ts'

/** `npm run limits`: writes the tables of docs/limits.md from openapi.json and the constants with the tag `@limit`. */
const PAGE = 'docs/limits.md'
writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8'), JSON.parse(readFileSync('openapi.json', 'utf8'))))
