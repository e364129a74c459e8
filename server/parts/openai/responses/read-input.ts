import { fail, sentence } from '#errors'
import { checkParts } from '../read-content.ts'
import { isHosted, messageFor } from './hosted-items.ts'
import { type Item, isItemType, newItem, uuidIn } from './items.ts'
import type { ResponseItem, ResponseRequest } from './schemas.ts'
import { findItems, type Owner } from './stored-items.ts'

/** An item and its place in the request, for error messages. */
export interface PlacedItem extends Item {
  at: string
}

/**
 * Returns the input of a request as items, without those of ignoredItems. Replaces each `item_reference` with a copy of the
 * item. Throws openai.item_not_found, request.invalid.
 */
export async function readInput(owner: Owner, input: ResponseRequest['input']): Promise<PlacedItem[]> {
  if (typeof input === 'string') return [{ ...newItem({ role: 'user', content: input }), at: 'input' }]
  const items = input.map((item) => (isHosted(item) ? messageFor(item) : item))
  const ids = items.flatMap((item) => (item !== null && isReference(item) ? [uuidIn(item.id ?? '')] : []))
  const found = await findItems(
    owner,
    ids.filter((id) => id !== null),
  )
  return items.flatMap((item, index) => {
    if (item === null) return []
    const at = `input.${index}`
    const placed = { ...newItem(item), at }
    if (!isReference(item)) return checked(placed)
    const stored = found.get(uuidIn(item.id ?? '') ?? '')
    if (!stored) throw fail('openai.item_not_found', { field: at, value: item.id ?? '' })
    return { ...placed, content: stored.content, signature: stored.signature }
  })
}

/** Throws request.invalid for an item of an unsupported type, a message without a role, and an incomplete part. */
function checked(item: PlacedItem): PlacedItem {
  const { type = '', role, content, output } = item.content
  if (!isItemType(type))
    throw fail('request.invalid', { reason: sentence('openai.item_type', { field: item.at, type }) })
  if (type === 'message' && role === undefined)
    throw fail('request.invalid', { reason: sentence('openai.role_needed', { field: item.at }) })
  if (type !== 'reasoning') checkParts(`${item.at}.content`, content)
  checkParts(`${item.at}.output`, output)
  return item
}

/** Clients may omit the type of a reference. */
const isReference = ({ type, role, id }: ResponseItem): boolean =>
  type === 'item_reference' || (type === undefined && role === undefined && id != null)
