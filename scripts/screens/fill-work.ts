import { evaluator } from '#tests/support/evaluations.ts'
import { librarian } from '#tests/support/knowledge.ts'
import { toolsmith } from '#tests/support/toolsmith.ts'
import { CATALOGUE, HANDBOOK, QUESTIONS } from './handbook.ts'
import type { Shop } from './shop.ts'

/** The ids of the shop's models by name. */
export type Models = Record<'large' | 'small' | 'gull', string>

export async function fillModels({ make, modelUrl }: Shop): Promise<Models> {
  const add = (name: string, version: string, more: object = {}) =>
    make('/api/llm/add', {
      name,
      provider: 'openai-compatible',
      version,
      config: { base_url: modelUrl, api_key: 'key', capabilities: ['text', 'tools'], ...more },
    })
  return {
    large: await add('Lantern Large', 'lantern-large', {
      context_window: 128_000,
      input_ratio: 0.5,
      output_ratio: 2,
    }),
    small: await add('Lantern Small', 'lantern-small', {
      context_window: 32_000,
      input_ratio: 0.1,
      output_ratio: 0.4,
    }),
    gull: await add('Gull 2', 'gull-2', { context_window: 64_000, input_ratio: 0.2, output_ratio: 1 }),
  }
}

/** The knowledge base of the shop, with an evaluation that has several runs. */
export interface Knowledge {
  handbook: string
  document: string
  evaluation: string
}

export async function fillKnowledge(shop: Shop): Promise<Knowledge> {
  const library = librarian(shop.stage.server, shop.owner)
  const sources = Object.entries(HANDBOOK).map(([name, content]) => ({
    type: 'text',
    config: { name, content },
  }))
  const handbook = await library.create({
    name: 'Shop handbook',
    description: 'How we open, sell, send and take back',
    sources,
  })
  const catalogue = await library.create({ name: 'Catalogue', description: 'What stands on which shelf' })
  const upload = await library.upload(catalogue, 'catalogue.csv', CATALOGUE)
  await library.add(catalogue, 'file', { upload_ids: [upload] })
  await library.settle(handbook)
  await library.settle(catalogue)
  const measures = evaluator(library, handbook)
  const created = await library.call(
    'POST',
    'evaluations/create',
    { kb_id: handbook },
    { name: 'What customers ask', questions: QUESTIONS },
  )
  const evaluation: string = created.body.id
  for (const limit of [1, 2, 3, 5]) await measures.measure(evaluation, { limit })
  const { body } = await library.call('GET', 'list_documents', { kb_id: handbook, search: 'Returns' })
  return { handbook, evaluation, document: body.documents[0].id }
}

const FIND_BOOK = `// What stands on the shelves, as the till knows it.
const SHELVES = [
  { title: 'Tide Tables', shelf: 'Sea and sky', copies: 2, price: 18.5 },
  { title: 'Storm Glass', shelf: 'Sea and sky', copies: 0, price: 16 },
  { title: 'A Field Guide to Gulls', shelf: 'Birds', copies: 5, price: 22 },
]

export function find_book({ title }) {
  const wanted = title.toLowerCase()
  const found = SHELVES.filter((book) => book.title.toLowerCase().includes(wanted))
  return { found, in_stock: found.some((book) => book.copies > 0) }
}
`

const POSTAGE = `export function postage({ total, island = false }: { total: number; island?: boolean }) {
  return { cost: total >= 40 ? 0 : 3.9, days: island ? 4 : 2 }
}
`

/** Creates the tools of the shop. Returns the id of the tool that finds books. */
export async function fillTools(shop: Shop): Promise<string> {
  const smith = toolsmith(shop.stage.server, shop.owner)
  const sales = await smith.category('Sales')
  const found = await smith.make({
    function: 'find_book',
    code: FIND_BOOK,
    inputs: [{ name: 'title', type: 'str', description: 'The title, or a part of it', required: true }],
    configuration: [
      { name: 'till_key', type: 'str', description: 'Of the till', required: false, secret: true },
    ],
    network: ['till.lighthouse.example'],
    fields: {
      name: 'Find a book',
      description: 'Looks for a book on the shelves',
      category_id: sales,
      outputs: { type: 'dict', description: 'The books that were found, and whether one is in stock' },
    },
  })
  await smith.make({
    framework: 'typescript',
    function: 'postage',
    code: POSTAGE,
    inputs: [
      { name: 'total', type: 'float', description: 'What the books cost', required: true },
      { name: 'island', type: 'bool', description: 'Whether it goes to an island', required: false },
    ],
    fields: { name: 'Postage', description: 'What sending a parcel costs', category_id: sales },
  })
  await smith.make({
    function: 'count_words',
    code: 'export const count_words = ({ text }) => ({ words: text.split(/\\s+/).length })',
    fields: {
      name: 'Count words',
      description: 'Counts the words of a text, for the labels of the window',
      category_id: await smith.category('Office'),
    },
  })
  return found
}
