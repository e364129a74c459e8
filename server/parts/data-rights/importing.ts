import { createHmac, randomBytes } from 'node:crypto'
import { UUID } from '#database/new-id.ts'
import { AppError } from '#errors'
import type { Services } from '#platform/services.ts'
import type { ImportedConcept } from './import-schemas.ts'

export const OF_OTHERS = 'they belong to other members or visitors'
export const NOWHERE = 'the record that they belong to was not imported'

/** Matches error codes that concern a single record. Such a record is left out of the import. */
const IS_OF_RECORD = /^(tool|kb|deployment|webhook|upload|request)\./

export const isLeftOut = (error: unknown): error is AppError =>
  error instanceof AppError && IS_OF_RECORD.test(error.code)

/** Maximum number of distinct reasons in the report. */
const REASONS_MAX = 100
const MORE = 'for other reasons'

interface ImportContext {
  organizationId: string
  /** Id of the importing user. */
  userId: string
  /** The importing user's id in the export, found by email address. Null if the export has no such member. */
  formerUserId: string | null
  /** Ids of this server's environment models, by model id in the export. */
  environmentModels: ReadonlyMap<string, string>
  /** Ids of this server's permissions, by name. */
  permissions: ReadonlyMap<string, string>
}

/** The chat whose messages are being read. Exports list the messages of a chat consecutively, oldest first. */
interface OpenChat {
  id: string
  /** Id of the active branch's leaf in the export. */
  leaf: string | null
  hasLeaf: boolean
  /** New ids of the messages read so far. */
  messages: Set<string>
}

/** State of a running import: new ids, imported records, and records that are left out. */
export class Importing {
  readonly services: Pick<Services, 'net' | 'sandbox' | 'secrets'>
  readonly organizationId: string
  readonly permissions: ReadonlyMap<string, string>
  /** Ids of the active branches' leaves, by chat id. All ids are those of the export. */
  readonly leaves = new Map<string, string | null>()
  readonly #context: ImportContext
  readonly #key = randomBytes(32)
  #openChat: OpenChat | null = null
  readonly #known = new Map<ImportedConcept, Set<string>>()
  readonly #counts: Partial<Record<ImportedConcept, number>> = {}
  readonly #leftOut = new Map<string, { what: string; count: number; reason: string }>()

  constructor(services: Pick<Services, 'net' | 'sandbox' | 'secrets'>, context: ImportContext) {
    this.services = services
    this.organizationId = context.organizationId
    this.permissions = context.permissions
    this.#context = context
  }

  /**
   * Maps an id of the export to a new id. The new id is a UUIDv7 (RFC 9562) with the same timestamp and counter, so
   * that the order is preserved. Its random bits are derived from the old id with a key of this import. Thus no
   * mapping has to be stored, and a forged export cannot choose ids.
   */
  idOf(id: string): string {
    const random = createHmac('sha256', this.#key).update(id).digest('hex')
    const variant = '89ab'[Number.parseInt(random.charAt(0), 16) & 3]
    return `${id.slice(0, 13)}-7${id.slice(15, 18)}-${variant}${random.slice(1, 4)}-${random.slice(4, 16)}`
  }

  idsOf(ids: readonly string[]): string[] {
    return ids.map((id) => this.idOf(id))
  }

  /** Maps a value if it is a UUID. Returns any other value unchanged. */
  idOrWord(text: string): string {
    return UUID.test(text) ? this.idOf(text.toLowerCase()) : text
  }

  /**
   * Maps a model id of the export to the imported model or to an environment model. Returns null if there is neither.
   */
  modelOf(id: string): string | null {
    return this.has('models', id) ? this.idOf(id) : (this.#context.environmentModels.get(id) ?? null)
  }

  /** Returns the common columns of rows that have a creator. */
  made(line: { id: string; created_at: string; updated_at: string }) {
    return { ...this.#dated(line), created_by: this.#context.userId }
  }

  /** Returns the common columns of rows that belong to a user. */
  owned(line: { id: string; created_at: string; updated_at: string }) {
    return { ...this.#dated(line), user_id: this.#context.userId }
  }

  #dated({ id, created_at, updated_at }: { id: string; created_at: string; updated_at: string }) {
    return { id: this.idOf(id), organization_id: this.organizationId, created_at, updated_at }
  }

  isOwn({ user_id: id }: { user_id: string }): boolean {
    return id === this.#context.formerUserId
  }

  get userId(): string {
    return this.#context.userId
  }

  openChat(id: string): OpenChat {
    if (this.#openChat?.id !== id)
      this.#openChat = { id, leaf: this.leaves.get(id) ?? null, hasLeaf: false, messages: new Set() }
    return this.#openChat as OpenChat
  }

  /** Counts a record as imported. Later records can then refer to its id. */
  keep(concept: ImportedConcept, id: string): void {
    const ids = this.#known.get(concept)
    if (ids) ids.add(id)
    else this.#known.set(concept, new Set([id]))
    this.#counts[concept] = this.countOf(concept) + 1
  }

  has(concept: ImportedConcept, id: string): boolean {
    return this.#known.get(concept)?.has(id) ?? false
  }

  countOf(concept: ImportedConcept): number {
    return this.#counts[concept] ?? 0
  }

  /**
   * Adds records that are left out to the report, with the reason. Returns null, which converters return in that
   * case.
   */
  leaveOut(what: string, reason: string, count = 1): null {
    if (count === 0) return null
    const isNew = !this.#leftOut.has(`${what}\n${reason}`)
    const shownReason = isNew && this.#leftOut.size >= REASONS_MAX ? MORE : reason
    const entry = this.#leftOut.get(`${what}\n${shownReason}`) ?? { what, count: 0, reason: shownReason }
    this.#leftOut.set(`${what}\n${shownReason}`, { ...entry, count: entry.count + count })
    return null
  }

  get imported(): Record<string, number> {
    return { ...this.#counts } as Record<string, number>
  }

  get leftOut(): { what: string; count: number; reason: string }[] {
    return [...this.#leftOut.values()]
  }
}
