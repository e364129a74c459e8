import { type Mask, maskOf } from '../secrets/mask-secrets.ts'

/** Maximum credentials remembered per connection. A connection may renew its tokens several times. */
const VALUES_MAX = 8

/**
 * The credentials sent to a server. They are masked in the server's messages, because a careless server may echo
 * them.
 */
export class ShownSecrets {
  #values: string[] = []
  #mask: Mask = maskOf([])

  /** Remembers the values of credential headers. */
  add(headers: Record<string, string>): void {
    const values = Object.values(headers).map((value) => value.replace(/^\w+ +/, ''))
    if (values.every((value) => this.#values.includes(value))) return
    this.#values = [...new Set([...values, ...this.#values])].slice(0, VALUES_MAX)
    this.#mask = maskOf(this.#values)
  }

  /** Returns a copy of a server's message with the remembered credentials masked. */
  hide<Message extends object>(message: Message): Message {
    const parts = Object.entries(message).map(([name, part]) =>
      CONTENT_FIELDS.includes(name) ? [name, this.#mask.value(part)] : [name, part],
    )
    return Object.fromEntries(parts) as Message
  }
}

/** Fields of a JSON-RPC message that carry content from the server. */
const CONTENT_FIELDS = ['result', 'error', 'params']
