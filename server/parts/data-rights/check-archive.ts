import { fail, sentence } from '#errors'
import { compileValidator, type Validator, validationError } from '#platform/http/validation.ts'
import { ExportManifest, type ImportedConcept, LINES, type LineOf, MemberLine } from './import-schemas.ts'
import type { Archive, ArchiveLine } from './read-archive.ts'
import { EXPORT_VERSION } from './write-export.ts'

/** Maximum number of lines. Limited because the import keeps ids in memory. @limit records of an imported archive */
const LINES_MAX = 1_000_000

const isManifest = compileValidator(ExportManifest, 'body')
const isMember = compileValidator(MemberLine, 'body')
const VALIDATORS = Object.fromEntries(
  Object.entries(LINES).map(([concept, schema]) => [concept, compileValidator(schema, 'body')]),
) as Record<ImportedConcept, Validator>

export interface CheckedArchive {
  manifest: ExportManifest & { organization: { name: string } }
  /** The importing user's id in the export, found by email address. Null if the export has no such member. */
  formerUserId: string | null
}

/**
 * Reads and validates a whole archive, except the content of files. Runs before anything is stored. Throws
 * import.damaged, import.incomplete, import.too_large, import.invalid.
 */
export async function checkArchive(
  archive: Archive,
  concepts: readonly string[],
  email: string,
): Promise<CheckedArchive> {
  const manifest = checkManifest(await archive.readManifest())
  let formerUserId: string | null = null
  let total = 0
  for (const name of concepts) {
    let count = 0
    for await (const line of archive.readLines(name)) {
      count++
      if (name in VALIDATORS) {
        if (++total > LINES_MAX)
          throw fail('import.too_large', { reason: sentence('import.records', { limit: LINES_MAX }) })
        readLine(name as ImportedConcept, line)
      }
      if (name === 'members') {
        const member = valid<{ user_id: string; email: string }>(isMember, line)
        if (member.email.toLowerCase() === email.toLowerCase()) formerUserId = member.user_id
      }
    }
    const said = manifest.counts[name] ?? 0
    if (count !== said)
      throw fail('import.incomplete', {
        reason: sentence('import.line_count', { file: `${name}.jsonl`, count, said }),
      })
  }
  return { manifest, formerUserId }
}

function checkManifest(value: unknown): CheckedArchive['manifest'] {
  const manifest = valid<ExportManifest>(isManifest, { value, location: 'manifest.json' })
  const { user, organization, version } = manifest
  if (user) throw fail('import.damaged', { reason: sentence('import.of_a_person') })
  if (version !== EXPORT_VERSION)
    throw fail('import.damaged', {
      reason: sentence('import.version', { version, known: EXPORT_VERSION }),
    })
  if (!organization)
    throw fail('import.invalid', { location: 'manifest.json', reason: sentence('import.no_organization') })
  return { ...manifest, organization }
}

/** Validates a line against its concept's schema. Throws import.invalid. */
export const readLine = <C extends ImportedConcept>(
  concept: C,
  line: Omit<ArchiveLine, 'bytes'>,
): LineOf<C> => valid<LineOf<C>>(VALIDATORS[concept], line)

function valid<T>(validate: Validator, { value, location }: Omit<ArchiveLine, 'bytes'>): T {
  if (!validate(value))
    throw fail('import.invalid', { location, reason: validationError(validate.errors ?? [], 'body').message })
  return value as T
}
