import { type Mask, maskOf } from '../secrets/mask-secrets.ts'

/** Maximum number of credentials remembered per connection. Tokens are renewed while it lasts. */
const VALUES_MAX = 8

/** The credentials sent to a server. Masked in its messages, because a careless server may echo them. */
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

  /** Returns a message from the server with these values masked. */
  hide<Message extends object>(message: Message): Message {
    const parts = Object.entries(message).map(([name, part]) =>
      SAID.includes(name) ? [name, this.#mask.value(part)] : [name, part],
    )
    return Object.fromEntries(parts) as Message
  }
}

/** The members of a JSON-RPC message that carry content from the server. */
const SAID = ['result', 'error', 'params']
