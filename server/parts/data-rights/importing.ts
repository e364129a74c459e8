import { createHmac, randomBytes } from 'node:crypto'
import { UUID } from '#database/new-id.ts'
import { AppError } from '#errors'
import type { Services } from '#platform/services.ts'
import type { ImportedConcept } from './import-schemas.ts'

export const OF_OTHERS = 'they are of other members, or of visitors'
export const NOWHERE = 'what they belong to is not there'

/** What is said of one record, which is left out with it. */
const IS_OF_RECORD = /^(tool|kb|deployment|webhook|upload|request)\./

export const isLeftOut = (error: unknown): error is AppError =>
  error instanceof AppError && IS_OF_RECORD.test(error.code)

/** So many reasons are told one by one. */
const REASONS_MAX = 100
const MORE = 'for further reasons'

/** Whom and what an import is for. */
interface ImportContext {
  organizationId: string
  /** Who imports. */
  userId: string
  /** Whom the export knows by the same address; null: nobody. */
  formerUserId: string | null
  /** Models of the environment, by their ids in the export. */
  environmentModels: ReadonlyMap<string, string>
  /** Permissions of this server, by their names. */
  permissions: ReadonlyMap<string, string>
}

/** Messages of one chat stand together in an export, the older first. */
interface OpenChat {
  id: string
  /** Where its active branch ends, by the export. */
  leaf: string | null
  hasLeaf: boolean
  /** New ids of its messages. */
  messages: Set<string>
}

/** What is known of an import while it goes on: which ids are new ones for which, what is there, what was left out. */
export class Importing {
  readonly services: Pick<Services, 'net' | 'sandbox' | 'secrets'>
  readonly organizationId: string
  readonly permissions: ReadonlyMap<string, string>
  /** By the id of a chat in the export: where its active branch ends there. */
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
   * The new id for one of the export, the same each time: a UUIDv7 (RFC 9562) of the same moment and counter, so that
   * what was made earlier is still the older one, with random bits that follow from a key of this import. So nothing
   * has to be remembered, and nobody who makes up an export chooses an id.
   */
  idOf(id: string): string {
    const random = createHmac('sha256', this.#key).update(id).digest('hex')
    const variant = '89ab'[Number.parseInt(random.charAt(0), 16) & 3]
    return `${id.slice(0, 13)}-7${id.slice(15, 18)}-${variant}${random.slice(1, 4)}-${random.slice(4, 16)}`
  }

  idsOf(ids: readonly string[]): string[] {
    return ids.map((id) => this.idOf(id))
  }

  /** Where something else may stand in place of an id. */
  idOrWord(text: string): string {
    return UUID.test(text) ? this.idOf(text.toLowerCase()) : text
  }

  /** The model that is here for one of the export: one that was imported, or the same one of the environment. */
  modelOf(id: string): string | null {
    return this.has('models', id) ? this.idOf(id) : (this.#context.environmentModels.get(id) ?? null)
  }

  /** What most rows begin with. */
  made(line: { id: string; created_at: string; updated_at: string }) {
    return { ...this.#dated(line), created_by: this.#context.userId }
  }

  /** The same for what is a person's own. */
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

  /** The chat whose messages are being read. */
  openChat(id: string): OpenChat {
    if (this.#openChat?.id !== id)
      this.#openChat = { id, leaf: this.leaves.get(id) ?? null, hasLeaf: false, messages: new Set() }
    return this.#openChat as OpenChat
  }

  /** Notes what was taken in, for what refers to it. */
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

  /** Notes what will be missing, and why. Answers null, for what makes no row. */
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
