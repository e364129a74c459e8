import { LOWEST_ID } from '#database/new-id.ts'
import { fail } from '#errors'
import { type Item, uuidIn, viewItem } from './items.ts'
import { deleteResponse, findResponse, listItems } from './store.ts'
import type { ItemRange, Owner } from './stored-items.ts'
import type { ResponseView } from './view-response.ts'

/** Returns a stored response. Throws openai.response_not_found. */
export async function getResponse(owner: Owner, name: string): Promise<ResponseView> {
  const { id, view } = await findResponse(owner, name)
  const output = await listItems(owner, id, { isOutput: true })
  return { ...view, output: output.map(viewItem) }
}

/** Deletes a stored response. Throws openai.response_not_found. */
export async function removeResponse(owner: Owner, name: string) {
  await deleteResponse(owner, name)
  return { id: name, object: 'response' as const, deleted: true }
}

/** Throws openai.response_not_found, or else openai.not_in_background: no stored response is in progress. */
export async function cancelResponse(owner: Owner, name: string): Promise<never> {
  await findResponse(owner, name)
  throw fail('openai.not_in_background')
}

export interface ItemPage {
  limit?: number
  order?: 'asc' | 'desc'
  after?: string
}

/** Returns a page of the input that a response added. Throws openai.response_not_found. */
export async function listInput(owner: Owner, name: string, page: ItemPage) {
  const { id } = await findResponse(owner, name)
  return viewPage(page, (range) => listItems(owner, id, { isOutput: false, ...range }))
}

/** Reads a page of items through `read`, with one more item to tell whether further items follow. */
export async function viewPage(
  { limit = 20, order = 'desc', after }: ItemPage,
  read: (range: ItemRange) => Promise<Item[]>,
) {
  const afterId = after === undefined ? null : (uuidIn(after) ?? LOWEST_ID)
  const items = await read({ isDescending: order === 'desc', afterId, limit: limit + 1 })
  const data = items.slice(0, limit).map(viewItem)
  return {
    object: 'list' as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: items.length > limit,
  }
}
