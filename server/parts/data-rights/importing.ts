import { createHmac, randomBytes } from 'node:crypto'
import { UUID } from '#database/new-id.ts'
import { AppError } from '#errors'
import type { Services } from '#platform/services.ts'
import type { ImportedConcept } from './import-schemas.ts'

export const OF_OTHERS = 'they belong to other members or visitors'
export const NOWHERE = 'the record that they belong to was not imported'

/** Error codes that concern a single record, which is then left out. */
const IS_OF_RECORD = /^(tool|kb|deployment|webhook|upload|request)\./

export const isLeftOut = (error: unknown): error is AppError =>
  error instanceof AppError && IS_OF_RECORD.test(error.code)

/** Maximum number of distinct reasons in the report. */
const REASONS_MAX = 100
const MORE = 'for other reasons'

/** The target and the source of an import. */
interface ImportContext {
  organizationId: string
  /** The importing user. */
  userId: string
  /** User id in the export with the same address; null if there is none. */
  formerUserId: string | null
  /** Models of the environment, by their ids in the export. */
  environmentModels: ReadonlyMap<string, string>
  /** Permissions of this server, by name. */
  permissions: ReadonlyMap<string, string>
}

/** An export lists the messages of a chat consecutively, oldest first. */
interface OpenChat {
  id: string
  /** Leaf of the active branch, according to the export. */
  leaf: string | null
  hasLeaf: boolean
  /** New ids of the messages. */
  messages: Set<string>
}

/** State of a running import: new ids, imported records, and what was left out. */
export class Importing {
  readonly services: Pick<Services, 'net' | 'sandbox' | 'secrets'>
  readonly organizationId: string
  readonly permissions: ReadonlyMap<string, string>
  /** Leaf of the active branch by chat id, both as in the export. */
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
   * Maps an id of the export to its new id, deterministically: a UUIDv7 (RFC 9562) with the same timestamp and
   * counter, so that order is preserved, and random bits derived from a key of this import. No mapping has to be
   * stored, and a forged export cannot choose ids.
   */
  idOf(id: string): string {
    const random = createHmac('sha256', this.#key).update(id).digest('hex')
    const variant = '89ab'[Number.parseInt(random.charAt(0), 16) & 3]
    return `${id.slice(0, 13)}-7${id.slice(15, 18)}-${variant}${random.slice(1, 4)}-${random.slice(4, 16)}`
  }

  idsOf(ids: readonly string[]): string[] {
    return ids.map((id) => this.idOf(id))
  }

  /** Maps a value that is an id or another word. */
  idOrWord(text: string): string {
    return UUID.test(text) ? this.idOf(text.toLowerCase()) : text
  }

  /** Returns the imported or environment model for a model id of the export; null if there is none. */
  modelOf(id: string): string | null {
    return this.has('models', id) ? this.idOf(id) : (this.#context.environmentModels.get(id) ?? null)
  }

  /** Common columns of most rows. */
  made(line: { id: string; created_at: string; updated_at: string }) {
    return { ...this.#dated(line), created_by: this.#context.userId }
  }

  /** Common columns of rows that belong to a user. */
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

  /** Returns the state of the chat whose messages are being read. */
  openChat(id: string): OpenChat {
    if (this.#openChat?.id !== id)
      this.#openChat = { id, leaf: this.leaves.get(id) ?? null, hasLeaf: false, messages: new Set() }
    return this.#openChat as OpenChat
  }

  /** Records an imported id, for later references to it. */
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

  /** Reports something as left out, with the reason. Returns null, for converters that make no row. */
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
