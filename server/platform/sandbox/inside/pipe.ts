/*
 * Runs in Deno. Before tenant code runs, takes the ends of the pipe and the Deno functions that the sandbox needs.
 * `takePipe` succeeds only once, so tenant code that imports this file cannot use the pipe.
 */

export interface DenoOfSandbox {
  args: string[]
  stdin: { read(buffer: Uint8Array): Promise<number | null>; readSync(buffer: Uint8Array): number | null }
  stdout: { writeSync(bytes: Uint8Array): number }
  inspect(value: unknown, options: object): string
  readFileSync(path: string): Uint8Array<ArrayBuffer>
  exit(code: number): never
  permissions: { revokeSync(permission: { name: 'read' | 'ffi' }): unknown }
  dlopen(library: string, symbols: object): { symbols: unknown }
}

/** The ends of the pipe, as functions that block. */
export interface Ends {
  /** Returns the number of bytes read. 0 or null means the end of input. */
  read(buffer: Uint8Array): number | null
  write(bytes: Uint8Array): number
  exit(code: number): never
}

export interface Pipe {
  deno: DenoOfSandbox
  read: Ends['read']
  exit: Ends['exit']
  /** Replaces stdin, stdout and the function that ends the process. */
  replaceEnds(ends: Ends): void
  /** Sends one line of JSON text to the server. */
  sendLine(json: string): void
  sendBytes(bytes: Uint8Array): void
  /**
   * Sends printed text. Characters beyond the limit are dropped and counted. Ends the process if too many are
   * dropped.
   */
  print(text: string): void
  fail(reason: 'failed' | 'memory' | 'output' | 'crashed', error: string): never
  /** Sends the result as JSON. Undefined means null. */
  finish(json: string | undefined): never
  /** Ends the call whose result exceeds RESULT_BYTES_MAX. */
  failTooLarge(): never
}

/** @limit result of a call */
export const RESULT_BYTES_MAX = 1_000_000
const PRINTED_CHARACTERS_MAX = 65_536
const FLOOD_CHARACTERS = 100_000_000
const ERROR_CHARACTERS_MAX = 4_000

let isTaken = false

export function takePipe(): Pipe {
  if (isTaken) throw new Error('The pipe is already in use.')
  isTaken = true
  const { Deno: deno } = globalThis as unknown as { Deno: DenoOfSandbox }
  let ends: Ends = {
    read: deno.stdin.readSync.bind(deno.stdin),
    write: deno.stdout.writeSync.bind(deno.stdout),
    exit: deno.exit.bind(deno),
  }
  const encoder = new TextEncoder()
  const encode = encoder.encode.bind(encoder)
  const { stringify } = JSON
  const PlainString = String
  let printed = 0
  let dropped = 0

  const sendBytes = (bytes: Uint8Array): void => {
    let rest = bytes
    while (rest.length > 0) rest = rest.subarray(ends.write(rest))
  }
  const sendLine = (json: string): void => sendBytes(encode(`${json}\n`))
  const countDropped = (): void => {
    if (dropped > 0) sendLine(`{"kind":"dropped","characters":${dropped}}`)
  }
  const fail = (reason: string, error: string): never => {
    countDropped()
    const text = PlainString(error)
    const short = text.length > ERROR_CHARACTERS_MAX ? text.substring(0, ERROR_CHARACTERS_MAX) : text
    sendLine(`{"kind":"failed","reason":${stringify(reason)},"error":${stringify(short)}}`)
    return ends.exit(0)
  }
  const failTooLarge = (): never =>
    fail('output', `The result is larger than ${RESULT_BYTES_MAX / 1e6} MB. Return less data.`)
  return {
    deno,
    read: (buffer) => ends.read(buffer),
    exit: (code) => ends.exit(code),
    replaceEnds(newEnds) {
      ends = newEnds
    },
    sendLine,
    sendBytes,
    print(text) {
      const charactersLeft = PRINTED_CHARACTERS_MAX - printed
      const piece = text.length > charactersLeft ? text.substring(0, charactersLeft) : text
      if (piece.length > 0) sendLine(`{"kind":"printed","text":${stringify(piece)}}`)
      printed += piece.length
      dropped += text.length - piece.length
      if (dropped > FLOOD_CHARACTERS)
        fail('output', 'The code printed more than 100 MB and was stopped. Print less.')
    },
    fail,
    failTooLarge,
    finish(json = 'null') {
      const bytes = encode(`{"kind":"done","output":${json}}\n`)
      if (bytes.length > RESULT_BYTES_MAX) failTooLarge()
      countDropped()
      sendBytes(bytes)
      return ends.exit(0)
    },
  }
}
