import type { Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { TransactionSql } from 'postgres'

/** The TypeScript type of a value, by column type. The database stores vectors in half precision. */
interface Values {
  uuid: string
  int4: number | null
  text: string
  'text[]': readonly string[]
  bytea: Uint8Array
  halfvec: Float32Array
}

type Type = keyof Values

/** A column of a table, and a function that returns the column's value for a row. */
export type Column<Row> = { [T in Type]: { name: string; type: T; of: (row: Row) => Values[T] } }[Type]

/**
 * Inserts many rows. Uses binary COPY (PostgreSQL, "COPY", File Formats), which takes a tenth of the time of INSERT
 * statements. The embedded database's socket doesn't support COPY, so rows are inserted there from JSON.
 */
export async function insertRows<Row>(
  tx: TransactionSql,
  { embedded }: { embedded: boolean },
  table: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return
  await (embedded ? insertJson : copyRows)(tx, table, columns, rows)
}

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const END = Buffer.from([0xff, 0xff])
/** Size of one write to the stream. */
const BLOCK_BYTES = 256 * 1024

async function copyRows<Row>(
  tx: TransactionSql,
  table: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Promise<void> {
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const stream = await tx.unsafe(`copy "${table}" (${names}) from stdin (format binary)`).writable()
  let failure: Error | undefined
  stream.on('error', (error) => {
    failure = error
  })
  const block = new Block()
  block.raw(SIGNATURE)
  for (const row of rows) {
    block.int16(columns.length)
    for (const { type, of } of columns) ENCODERS[type](block, of(row) as never)
    if (block.length >= BLOCK_BYTES) await write(stream, block.take())
    if (failure) throw failure
  }
  block.raw(END)
  await write(stream, block.take())
  stream.end()
  await turn()
  // After `end`, the driver no longer reports errors. If the COPY has failed, its transaction rejects this statement.
  await tx`select`.catch((error: unknown) => {
    throw failure ?? error
  })
}

/** Resolves even if the stream has failed. The caller checks for failures. */
const write = (stream: Writable, bytes: Buffer): Promise<void> =>
  new Promise((resolve) => stream.write(bytes, () => resolve()))

const DASH = 0x2d

function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code < 0x3a ? code - 0x30 : code - 0x57
}

/** A growing buffer that writes numbers in network byte order. */
class Block {
  #bytes = Buffer.allocUnsafe(BLOCK_BYTES * 2)
  length = 0

  int16(value: number): void {
    this.#reserve(2)
    this.length = this.#bytes.writeInt16BE(value, this.length)
  }

  int32(value: number): void {
    this.#reserve(4)
    this.length = this.#bytes.writeInt32BE(value, this.length)
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Writes 16 bytes. Parses each digit without splitting the string, which would take most of a row's time. */
  uuid(value: string): void {
    this.#reserve(16)
    for (let at = 0; at < value.length; at += 2) {
      if (value.charCodeAt(at) === DASH) at++
      this.#bytes[this.length++] = (digitAt(value, at) << 4) | digitAt(value, at + 1)
    }
  }

  /** Writes the string's length in bytes, then its bytes. */
  text(value: string): void {
    const bytes = Buffer.byteLength(value)
    this.int32(bytes)
    this.#reserve(bytes)
    this.length += this.#bytes.write(value, this.length)
  }

  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.length)
    this.#bytes = Buffer.allocUnsafe(BLOCK_BYTES * 2)
    this.length = 0
    return taken
  }

  #reserve(bytes: number): void {
    if (this.length + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.length + bytes))
    this.#bytes.copy(larger, 0, 0, this.length)
    this.#bytes = larger
  }
}

const TEXT_OID = 25
const NULL = -1

/** Encoders for the binary formats of PostgreSQL's types and of pgvector's halfvec. */
const ENCODERS: { [T in Type]: (block: Block, value: Values[T]) => void } = {
  uuid(block, value) {
    block.int32(16)
    block.uuid(value)
  },
  int4(block, value) {
    if (value === null) return block.int32(NULL)
    block.int32(4)
    block.int32(value)
  },
  text: (block, value) => block.text(value),
  'text[]'(block, value) {
    const bytes = value.reduce((sum, one) => sum + 4 + Buffer.byteLength(one), 0)
    const isEmpty = value.length === 0
    block.int32(12 + (isEmpty ? 0 : 8 + bytes))
    block.int32(isEmpty ? 0 : 1) // number of dimensions
    block.int32(0) // no nulls
    block.int32(TEXT_OID)
    if (isEmpty) return
    block.int32(value.length)
    block.int32(1) // lower bound
    for (const one of value) block.text(one)
  },
  bytea(block, value) {
    block.int32(value.length)
    block.raw(value)
  },
  halfvec(block, value) {
    block.int32(4 + value.length * 2)
    block.int16(value.length)
    block.int16(0)
    const half = new Float16Array(value)
    block.raw(Buffer.from(half.buffer).swap16())
  },
}

/** Maximum rows per statement. A statement holds all its rows in memory, and a vector takes kilobytes as text. */
const ROWS_A_STATEMENT = 200

async function insertJson<Row>(
  tx: TransactionSql,
  table: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Promise<void> {
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const values = columns
    .map(({ type }, at) => FROM_JSON[type](`value -> ${at}`, `value ->> ${at}`))
    .join(', ')
  const statement = `insert into "${table}" (${names}) select ${values} from json_array_elements($1::text::json)`
  for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT) {
    const some = rows.slice(from, from + ROWS_A_STATEMENT)
    const json = some.map((row) => columns.map(({ type, of }) => toJson(type, of(row))))
    await tx.unsafe(statement, [JSON.stringify(json)])
  }
}

/**
 * For each column type, the SQL that converts a JSON value. `json` is the value as JSON, `text` the value as text.
 */
const FROM_JSON: Record<Type, (json: string, text: string) => string> = {
  uuid: (_json, text) => `(${text})::uuid`,
  int4: (_json, text) => `(${text})::int4`,
  text: (_json, text) => text,
  'text[]': (json) => `array(select json_array_elements_text(${json}))`,
  bytea: (_json, text) => `decode(${text}, 'base64')`,
  halfvec: (_json, text) => `(${text})::halfvec`,
}

function toJson(type: Type, value: Values[Type]): unknown {
  if (type === 'bytea') return Buffer.from(value as Uint8Array).toString('base64')
  return type === 'halfvec' ? toVectorText(value as Float32Array) : value
}

/** Formats a vector as PostgreSQL text. Five significant digits are enough for half precision. */
export const toVectorText = (vector: Float32Array): string =>
  `[${Array.from(vector, (value) => value.toPrecision(5)).join(',')}]`
