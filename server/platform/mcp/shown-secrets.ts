import { type Mask, maskOf } from '../secrets/mask-secrets.ts'

/** Tokens are renewed while a connection lasts. */
const VALUES_MAX = 8

/** The credentials that a connection has shown to its server. A careless server repeats them in errors and results. */
export class ShownSecrets {
  #values: string[] = []
  #mask: Mask = maskOf([])

  /** Remembers the values of headers that prove who calls. */
  add(headers: Record<string, string>): void {
    const values = Object.values(headers).map((value) => value.replace(/^\w+ +/, ''))
    if (values.every((value) => this.#values.includes(value))) return
    this.#values = [...new Set([...values, ...this.#values])].slice(0, VALUES_MAX)
    this.#mask = maskOf(this.#values)
  }

  /** Returns a message of the server without these values. */
  hide<Message extends object>(message: Message): Message {
    const parts = Object.entries(message).map(([name, part]) =>
      SAID.includes(name) ? [name, this.#mask.value(part)] : [name, part],
    )
    return Object.fromEntries(parts) as Message
  }
}

/** The parts of a JSON-RPC message that are not the protocol's. */
const SAID = ['result', 'error', 'params']
