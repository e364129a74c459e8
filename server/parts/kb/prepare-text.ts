import type { Chunking } from '#database/schema/kb.ts'
import { type Chunk, splitText, type TextKind } from '#platform/documents/split-text.ts'
import { embedLocally } from '#platform/models/local-embedding.ts'
import { type Language, languageOf } from '#platform/retrieval/languages.ts'
import { listWords } from '#platform/retrieval/words.ts'

export interface GivenText {
  name: string
  text: string
  kind: TextKind
}

export interface Preparation {
  texts: GivenText[]
  chunking: Chunking
  /** True if the vectors are computed by the built-in embedding. */
  isLocal: boolean
}

/** Documents prepared for indexing. Stems, and vectors of a provider's model, are added later. */
export interface PreparedTexts {
  texts: { chunks: Chunk[]; language: Language; words: Uint32Array[] }[]
  /**
   * Distinct words of all documents. `words` contains indexes into this list, so that each word crosses the thread
   * boundary once.
   */
  dictionary: string[]
  /** Vectors of all chunks, concatenated. Null if a provider computes them. */
  vectors: Float32Array | null
}

/**
 * Splits documents into chunks, lists each chunk's words, and embeds the chunks if the built-in embedding is used.
 * Runs in a worker thread (prepare-thread.ts).
 */
export async function prepareTexts({ texts, chunking, isLocal }: Preparation): Promise<PreparedTexts> {
  const dictionary = new Map<string, number>()
  const embedded: string[] = []
  const prepared: PreparedTexts['texts'] = []
  for (const { name, text, kind } of texts) {
    const { max_tokens: maxTokens, overlap_tokens: overlapTokens } = chunking
    const chunks = await splitText(text, { kind, maxTokens, overlapTokens })
    const words = chunks.map((chunk) => {
      const content = withContext(name, chunk)
      embedded.push(content)
      return dictionaryIndexes(listWords(content), dictionary)
    })
    prepared.push({ chunks, language: languageOf(text), words })
  }
  const vectors = isLocal ? joined(await embedLocally(embedded, new AbortController().signal)) : null
  return { texts: prepared, dictionary: [...dictionary.keys()], vectors }
}

/** Prepends the document's name (without extension) and the headings to a chunk, so that searches also match them. */
export const withContext = (
  name: string,
  { headings, content }: Pick<Chunk, 'headings' | 'content'>,
): string => `${[name.replace(/\.[a-z0-9]{1,8}$/i, ''), ...headings].join(' > ')}\n\n${content}`

/** Returns the dictionary index of each word. Adds new words to the dictionary. */
function dictionaryIndexes(words: string[], dictionary: Map<string, number>): Uint32Array {
  const indexes = new Uint32Array(words.length)
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    const known = dictionary.get(word)
    indexes[at] = known ?? dictionary.size
    if (known === undefined) dictionary.set(word, dictionary.size)
  }
  return indexes
}

function joined(vectors: Float32Array[]): Float32Array {
  const length = vectors[0]?.length ?? 0
  const all = new Float32Array(vectors.length * length)
  for (const [index, vector] of vectors.entries()) all.set(vector, index * length)
  return all
}
